/** Sums the descriptions of the same dimensions over several shards. */
import type { DataUse } from '../base/index.js';
import type { DimensionData } from '../protocol/index.js';

/** One entry per dimension, by database and dimension; columns ascend. */
export function sumOfData(parts: readonly DimensionData[]): DimensionData[] {
  const sums = new Map<string, DimensionSum>();
  for (const part of parts) {
    const key = `${part.databaseId} ${part.dimensionId}`;
    let sum = sums.get(key);
    if (sum === undefined) {
      sum = new DimensionSum(part);
      sums.set(key, sum);
    }
    sum.add(part);
  }
  return [...sums.values()]
    .map((sum) => sum.data())
    .sort((a, b) => a.databaseId - b.databaseId || a.dimensionId - b.dimensionId);
}

class DimensionSum {
  readonly #of: Pick<DimensionData, 'databaseId' | 'dimensionId'>;
  #entityCount = 0;
  readonly #events = new Map<number, number>();
  readonly #memory = new Map<number, Map<DataUse, number>>();

  constructor({ databaseId, dimensionId }: DimensionData) {
    this.#of = { databaseId, dimensionId };
  }

  add({ entityCount, eventCounts, memory }: DimensionData): void {
    this.#entityCount += entityCount;
    for (const { columnId, count } of eventCounts) addTo(this.#events, columnId, count);
    for (const { use, columnId, bytes } of memory) {
      const uses = this.#memory.get(columnId) ?? new Map<DataUse, number>();
      this.#memory.set(columnId, uses);
      addTo(uses, use, bytes);
    }
  }

  data(): DimensionData {
    const ascending = <T>(map: ReadonlyMap<number, T>): [number, T][] => [...map].sort(([a], [b]) => a - b);
    return {
      ...this.#of,
      entityCount: this.#entityCount,
      eventCounts: ascending(this.#events).map(([columnId, count]) => ({ columnId, count })),
      memory: ascending(this.#memory).flatMap(([columnId, uses]) =>
        [...uses].map(([use, bytes]) => ({ use, columnId, bytes })),
      ),
    };
  }
}

function addTo<K>(sums: Map<K, number>, key: K, more: number): void {
  sums.set(key, (sums.get(key) ?? 0) + more);
}
