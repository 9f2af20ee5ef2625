/** Kernels over runs: the values of each group, one group after the other. */

/**
 * Moves each value into its slot's run: out[cursors[slots[i]]++] = values[i], in order.
 * Layout  one u32 slot and one i64 value per row; one u32 cursor per slot, an index into `out`.
 * Needs   the runs are long enough; `out` overlaps none of the others.
 * Cost    O(n), about 3 ns a row for some 10,000 slots.
 * Twin    js/runs.ts
 */
export function scatterRuns(slots: usize, values: usize, n: u32, cursors: usize, out: usize): void {
  for (let row: usize = 0; row < <usize>n; row++) {
    const cursor = cursors + (<usize>load<u32>(slots + (row << 2)) << 2);
    const at = load<u32>(cursor);
    store<u32>(cursor, at + 1);
    store<i64>(out + (<usize>at << 3), load<i64>(values + (row << 3)));
  }
}

/** Shorter runs are sorted by insertion. */
const INSERTION_COUNT: u32 = 24;
/** Longer runs are sorted by radix. */
const RADIX_COUNT: u32 = 256;

function insertionSort(values: usize, n: u32): void {
  for (let index: u32 = 1; index < n; index++) {
    const value = load<i64>(values + (<usize>index << 3));
    let at = values + (<usize>index << 3);
    while (at > values && load<i64>(at - 8) > value) {
      store<i64>(at, load<i64>(at - 8));
      at -= 8;
    }
    store<i64>(at, value);
  }
}

// @ts-ignore: decorator
@inline
function median(a: i64, b: i64, c: i64): i64 {
  return a < b ? (b < c ? b : a < c ? c : a) : a < c ? a : b < c ? c : b;
}

/** Sorts by least significant digit, 8 bits a pass, over as many digits as the values differ in. */
function radixSort(values: usize, n: u32, scratch: usize): void {
  const counts = scratch + (<usize>n << 3);
  let least = load<i64>(values);
  let greatest = least;
  const bytes = <usize>n << 3;
  for (let at: usize = 8; at < bytes; at += 8) {
    const value = load<i64>(values + at);
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  const span = <u64>greatest - <u64>least;
  let from = values;
  let to = scratch;
  for (let shift: u64 = 0; shift < 64 && span >> shift != 0; shift += 8) {
    memory.fill(counts, 0, 1024);
    for (let at: usize = 0; at < bytes; at += 8) {
      const digit = <usize>(((<u64>load<i64>(from + at) - <u64>least) >> shift) & 255);
      store<u32>(counts + (digit << 2), load<u32>(counts + (digit << 2)) + 1);
    }
    let sum: u32 = 0;
    for (let digit: usize = 0; digit < 1024; digit += 4) {
      const count = load<u32>(counts + digit);
      store<u32>(counts + digit, sum);
      sum += count;
    }
    for (let at: usize = 0; at < bytes; at += 8) {
      const value = load<i64>(from + at);
      const digit = counts + (<usize>(((<u64>value - <u64>least) >> shift) & 255) << 2);
      const next = load<u32>(digit);
      store<u32>(digit, next + 1);
      store<i64>(to + (<usize>next << 3), value);
    }
    const swap = from;
    from = to;
    to = swap;
  }
  if (from != values) memory.copy(values, from, bytes);
}

/**
 * `depth`: the number of further partitions that may be uneven before the radix sort takes over, which bounds the time for every
 * order of values.
 */
function quickSort(values: usize, n: u32, scratch: usize, depth: u32): void {
  while (n > INSERTION_COUNT) {
    if (depth == 0) {
      radixSort(values, n, scratch);
      return;
    }
    depth--;
    const last = values + (<usize>(n - 1) << 3);
    const pivot = median(load<i64>(values), load<i64>(values + (<usize>(n >> 1) << 3)), load<i64>(last));
    let low = values;
    let high = last;
    while (true) {
      while (load<i64>(low) < pivot) low += 8;
      while (load<i64>(high) > pivot) high -= 8;
      if (low >= high) break;
      const value = load<i64>(low);
      store<i64>(low, load<i64>(high));
      store<i64>(high, value);
      low += 8;
      high -= 8;
    }
    // [values, split) <= pivot <= [split, end); both parts are shorter than the whole.
    const split = high + 8;
    const lower = <u32>((split - values) >> 3);
    if (lower <= n - lower) {
      quickSort(values, lower, scratch, depth);
      values = split;
      n -= lower;
    } else {
      quickSort(split, n - lower, scratch, depth);
      n = lower;
    }
  }
  insertionSort(values, n);
}

/**
 * Sorts the values of each run, ascending, in place.
 * Layout  i64 values; run r is values [starts[r], starts[r + 1]), u32 each.
 * Needs   scratch for the longest run and 1,024 bytes more.
 * Cost    O(n log n) for runs of some thousand values, O(n) beyond: 10 to 40 ns a value.
 * Source  Hoare's partition with the median of three; a run whose partitions are uneven is sorted by radix.
 * Twin    js/runs.ts
 */
export function sortRuns(values: usize, starts: usize, runCount: u32, scratch: usize): void {
  for (let run: u32 = 0; run < runCount; run++) {
    const from = load<u32>(starts + (<usize>run << 2));
    const n = load<u32>(starts + (<usize>run << 2), 4) - from;
    const at = values + (<usize>from << 3);
    if (n > RADIX_COUNT) radixSort(at, n, scratch);
    else quickSort(at, n, scratch, 24);
  }
}

/**
 * Keeps one of equal neighbors in each run and moves the runs together; updates `starts`; returns the number of values left.
 * Layout  as sortRuns; every run is sorted.
 * Cost    O(n).  Twin  js/runs.ts
 */
export function uniqueRuns(values: usize, starts: usize, runCount: u32): u32 {
  let to: u32 = 0;
  for (let run: u32 = 0; run < runCount; run++) {
    const from = load<u32>(starts + (<usize>run << 2));
    const end = load<u32>(starts + (<usize>run << 2), 4);
    store<u32>(starts + (<usize>run << 2), to);
    const first = to;
    for (let index = from; index < end; index++) {
      const value = load<i64>(values + (<usize>index << 3));
      if (to > first && load<i64>(values + (<usize>(to - 1) << 3)) == value) continue;
      store<i64>(values + (<usize>to << 3), value);
      to++;
    }
  }
  store<u32>(starts + (<usize>runCount << 2), to);
  return to;
}
