/** The memory account of rows that wait to be merged, and the size of a vector while it is sent between threads. */
import { MemoryAccount } from '../../base/index.js';
import type { WireVector } from '../../vector/index.js';
import { BIGINT_BYTES } from './columns.js';

export const waitingRowsMemory = (capacityBytes: number): MemoryAccount =>
  new MemoryAccount(
    capacityBytes,
    (bytes) => `rows of the shards wait to be merged in more than ${bytes} bytes`,
  );

/** Approximate size of the vector. */
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
