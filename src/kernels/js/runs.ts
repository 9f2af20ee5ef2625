/** Twins of wasm/runs.ts, which documents layouts and Needs. */

export function scatterRuns(
  words: Uint32Array,
  slots: number,
  fields: BigInt64Array,
  values: number,
  n: number,
  cursors: number,
  out: number,
): void {
  for (let row = 0; row < n; row++)
    fields[out + words[cursors + words[slots + row]]++] = fields[values + row];
}

export function sortRuns(
  words: Uint32Array,
  starts: number,
  fields: BigInt64Array,
  values: number,
  runCount: number,
): void {
  for (let run = starts; run < starts + runCount; run++) {
    fields.subarray(values + words[run], values + words[run + 1]).sort();
  }
}

export function uniqueRuns(
  words: Uint32Array,
  starts: number,
  fields: BigInt64Array,
  values: number,
  runCount: number,
): number {
  let to = 0;
  for (let run = starts; run < starts + runCount; run++) {
    const [from, end, first] = [words[run], words[run + 1], to];
    words[run] = first;
    for (let index = from; index < end; index++) {
      const value = fields[values + index];
      if (to === first || fields[values + to - 1] !== value) fields[values + to++] = value;
    }
  }
  words[starts + runCount] = to;
  return to;
}
