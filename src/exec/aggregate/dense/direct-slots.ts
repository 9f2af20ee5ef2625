/** Slots that are computed from the key values of a row by their ranges (see dense-plan.ts). */
import type { QueryMemory } from '../../query-memory.js';
import type { Block } from './block.js';
import type { DenseKey } from './dense-plan.js';
import type { SegmentColumns } from './segment-columns.js';

/** Writes the slot (u32) of each row of the block, selected or not, to `slots`. */
export function writeDirectSlots(
  keys: readonly DenseKey[],
  columns: SegmentColumns,
  { from, rows }: Block,
  memory: QueryMemory,
  slots: number,
): void {
  memory.u32.fill(0, slots / 4, slots / 4 + rows);
  for (const key of keys) addKey(key, columns, from, rows, memory, slots);
}

function addKey(
  { columnId, least, stride }: DenseKey,
  columns: SegmentColumns,
  from: number,
  rows: number,
  { kernels }: QueryMemory,
  slots: number,
): void {
  const { stored, isFull, values, validity } = columns.column(columnId);
  if (stored === null) return;
  const { kind, width } = stored;
  const valid = validity + from / 8;
  if (kind === 'bits') {
    kernels.addSlotsBits(values + from / 8, rows, 2 * stride, stride, slots);
    if (!isFull) kernels.addSlotsBits(valid, rows, 0, -stride >>> 0, slots);
    return;
  }
  // Index i is the value least + i - 1; codes start at 1, so code 0 has index 0.
  const before = least - 1;
  const at = values + from * (kind === 'i32' ? 4 : width);
  if (kind === 'i32' || width === 4) kernels.addSlotsI32(at, rows, before, stride, slots);
  else if (width === 2)
    kernels[kind === 'code' ? 'addSlotsU16' : 'addSlotsI16'](at, rows, before, stride, slots);
  else kernels[kind === 'code' ? 'addSlotsU8' : 'addSlotsI8'](at, rows, before, stride, slots);
  // A missing integer is stored as 0, which must have index 0.
  if (kind !== 'code' && !isFull) {
    kernels.addSlotsBits(valid, rows, 0, Math.imul(before, stride) >>> 0, slots);
  }
}
