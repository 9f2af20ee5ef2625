/** Memory that is taken and given back again, in bytes, and what a vector on its way takes of it. */
import { QuarryError } from '../../base/index.js';
import type { WireVector } from '../../vector/index.js';
import { BIGINT_BYTES } from './columns.js';

export class HeldBytes {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Throws 9006 when there are not so many bytes left; then none are taken. */
  take(bytes: number): void {
    if (bytes > this.left) {
      throw new QuarryError(
        9006,
        `rows of the shards wait to be merged in more than ${this.#bytesMax} bytes`,
      );
    }
    this.#bytes += bytes;
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes;
  }

  get left(): number {
    return this.#bytesMax - this.#bytes;
  }
}

/** Bytes that it holds, about. */
export function wireBytes(wire: WireVector): number {
  const valid = wire.valid?.byteLength ?? 0;
  switch (wire.kind) {
    case 'exact':
      return valid + (wire.numbers?.byteLength ?? (wire.wide?.length ?? 0) * BIGINT_BYTES);
    case 'float':
      return valid + wire.numbers.byteLength;
    case 'boolean':
      return valid + wire.bits.byteLength;
    case 'text':
      return valid + (wire.codes?.byteLength ?? 0) + wire.offsets.byteLength + wire.bytes.byteLength;
  }
}
