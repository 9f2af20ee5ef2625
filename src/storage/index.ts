export * from './arena.js';
export * from './dictionary.js';
export * from './dimension-shard.js';
export * from './entity-segment.js';
export { orderByDate, permute } from './event-order.js';
export * from './event-segment.js';
export * from './event-table.js';
export * from './latest-column.js';
export * from './list-column.js';
export * from './memory.js';
export * from './row-bitmap.js';
export * from './segment-bitmaps.js';
export * from './shard.js';
export * from './snapshot-state.js';
export {
  readCodes,
  readIntegers,
  type StoredValues,
  valueBytes,
  type Width,
  widthOfValues,
} from './width.js';
