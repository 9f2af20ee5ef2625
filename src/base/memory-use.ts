/** The uses of memory for data, by which it is counted and reported. */

/** Uses inside arenas: entity IDs, values of entities, bitmaps, and all data of events. */
export const ARENA_USES = ['entity-ids', 'values', 'bitmaps', 'events'] as const;
export type ArenaUse = (typeof ARENA_USES)[number];

/** Uses outside arenas. */
export const HEAP_USES = ['entity-indexes', 'dictionaries', 'lists', 'segments'] as const;
export type HeapUse = (typeof HEAP_USES)[number];

export const DATA_USES = [...ARENA_USES, ...HEAP_USES] as const;
export type DataUse = (typeof DATA_USES)[number];

/** Bytes. */
export type DataMemory = Readonly<Record<DataUse, number>>;

export const NO_DATA_MEMORY: DataMemory = {
  'entity-ids': 0,
  values: 0,
  bitmaps: 0,
  events: 0,
  'entity-indexes': 0,
  dictionaries: 0,
  lists: 0,
  segments: 0,
};

export function sumOfMemory(all: readonly DataMemory[]): DataMemory {
  const sum = { ...NO_DATA_MEMORY };
  for (const one of all) for (const use of DATA_USES) sum[use] += one[use];
  return sum;
}

export const bytesOf = (memory: Readonly<Record<string, number>>): number =>
  Object.values(memory).reduce((sum, bytes) => sum + bytes, 0);
