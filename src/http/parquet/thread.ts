/**
 * Entry file of a thread that reads one Parquet file. For each message that it gets it answers with the next record batch. It ends with
 * an error if the file damages the package or needs more than the limit of memory.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { loadPackage, parquetMessages, TooLarge } from './parquet-messages.js';

export interface ParquetStart {
  readonly file: Uint8Array<ArrayBuffer>;
  /** Limit of the memory of the package, which copies the parts of the file that it reads. */
  readonly memoryBytesMax: number;
}

/** `messages`: of an Arrow IPC stream; null = the file has no further rows. `isTooLarge`: false = it is damaged. */
export type ParquetReply =
  | { readonly is: 'read'; readonly messages: Uint8Array<ArrayBuffer> | null }
  | { readonly is: 'refused'; readonly why: string; readonly isTooLarge: boolean };

const { file, memoryBytesMax } = workerData as ParquetStart;
const code = createRequire(import.meta.url).resolve('parquet-wasm/node/parquet_wasm_bg.wasm');
loadPackage(readFileSync(code), memoryBytesMax);
const batches = parquetMessages(file);

function send(reply: ParquetReply, moved: ArrayBuffer[]): void {
  parentPort?.postMessage(reply, moved);
}

parentPort?.on('message', () => {
  batches.next().then(
    ({ done, value }) => {
      if (done === true) send({ is: 'read', messages: null }, []);
      else send({ is: 'read', messages: value }, [value.buffer]);
    },
    (error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      send({ is: 'refused', why, isTooLarge: error instanceof TooLarge }, []);
    },
  );
});
