/** Record batches as an Arrow IPC stream or file, batch by batch: nothing waits but what was not taken yet. */
import { RecordBatchFileWriter, RecordBatchStreamWriter, type RecordBatchWriter } from 'apache-arrow';
import type { ArrowRows } from './arrow-batches.js';

export async function* arrowBytes(
  { schema, batches }: ArrowRows,
  asFile: boolean,
): AsyncGenerator<Uint8Array> {
  const writer = asFile ? new FileWriter() : new StreamWriter();
  // Of no rows, too.
  writer.reset(undefined, schema);
  for await (const batch of batches) {
    writer.write(batch);
    yield* writer.take();
  }
  writer.finish();
  yield* writer.take();
}

/**
 * That kind of writer, asked for what it wrote: the library's own queue takes whatever is written, whether somebody
 * reads it or not.
 */
// biome-ignore lint/suspicious/noExplicitAny: what TypeScript wants of a class that is extended so
function taking<Writer extends new (...args: any[]) => RecordBatchWriter>(writer: Writer) {
  return class extends writer {
    #parts: Uint8Array[] = [];

    /** What was written since the last call. */
    take(): Uint8Array[] {
      const parts = this.#parts;
      this.#parts = [];
      return parts;
    }

    protected override _write(chunk: ArrayBufferView): this {
      if (!this._started) return this;
      this.#parts.push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      this._position += chunk.byteLength;
      return this;
    }
  };
}

const StreamWriter = taking(RecordBatchStreamWriter);
const FileWriter = taking(RecordBatchFileWriter);
