/** Writes record batches as an Arrow IPC stream or file, batch by batch, and holds no bytes that were taken. */
import { RecordBatchFileWriter, RecordBatchStreamWriter, type RecordBatchWriter } from 'apache-arrow';
import type { ArrowRows } from './arrow-batches.js';

export async function* arrowBytes(
  { schema, batches }: ArrowRows,
  asFile: boolean,
): AsyncGenerator<Uint8Array> {
  const writer = asFile ? new FileWriter() : new StreamWriter();
  // Writes the schema also when there are no rows.
  writer.reset(undefined, schema);
  for await (const batch of batches) {
    writer.write(batch);
    yield* writer.drain();
  }
  writer.finish();
  yield* writer.drain();
}

/**
 * Adds `take` to a writer class, which returns the written bytes: the library's own queue has no backpressure.
 */
// biome-ignore lint/suspicious/noExplicitAny: TypeScript requires it of a class that is extended this way
function taking<Writer extends new (...args: any[]) => RecordBatchWriter>(writer: Writer) {
  return class extends writer {
    #parts: Uint8Array[] = [];

    /** The bytes written since the last call. */
    drain(): Uint8Array[] {
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
