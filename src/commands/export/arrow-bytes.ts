/** Record batches as an Arrow IPC stream or file, batch by batch: nothing waits but what was not taken yet. */
import { RecordBatchFileWriter, RecordBatchStreamWriter } from 'apache-arrow';
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

/** What a writer wrote since it was last asked. */
class Written {
  #parts: Uint8Array[] = [];

  put(part: Uint8Array): void {
    this.#parts.push(part);
  }

  take(): Uint8Array[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }
}

const bytesOf = (chunk: ArrayBufferView): Uint8Array =>
  new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);

// The library's own queue takes whatever is written, whether somebody reads it or not.
class StreamWriter extends RecordBatchStreamWriter {
  readonly #written = new Written();

  take(): Uint8Array[] {
    return this.#written.take();
  }

  protected override _write(chunk: ArrayBufferView): this {
    if (!this._started) return this;
    this.#written.put(bytesOf(chunk));
    this._position += chunk.byteLength;
    return this;
  }
}

class FileWriter extends RecordBatchFileWriter {
  readonly #written = new Written();

  take(): Uint8Array[] {
    return this.#written.take();
  }

  protected override _write(chunk: ArrayBufferView): this {
    if (!this._started) return this;
    this.#written.put(bytesOf(chunk));
    this._position += chunk.byteLength;
    return this;
  }
}
