/**
 * Two representations of the groups of rows: at most one group per row, or any number.
 * Invariants  rows outside the selection belong to no group; a row belongs to a group at most once.
 */
import { grownWithin, type MemoryAccount, SEGMENT_ROWS_MAX } from '../../base/index.js';
import { popcount32 } from '../../kernels/index.js';
import { BITMAP_BYTES, type DimensionShard } from '../../storage/index.js';

const WORDS_PER_SEGMENT = BITMAP_BYTES / 4;

/** Entries of a scan joined with groups: entry entries[i] belongs to group groups[i]. */
export class JoinedEntries {
  readonly entries: Uint32Array;
  readonly groups: Uint32Array;
  count = 0;

  /** For rows of the shard, none of which may belong to more than `groupsOfRowMax` groups. */
  constructor(shard: DimensionShard, groupsOfRowMax: number, memory: MemoryAccount) {
    const length = Math.max(Math.min(SEGMENT_ROWS_MAX, shard.rowEnd), groupsOfRowMax);
    [this.entries, this.groups] = [memory.u32(length), memory.u32(length)];
  }
}

export interface GroupsOfRows {
  /** Number of groups of the last decided level. */
  readonly groupCount: number;
  /** The rows that belong to any group, one bit per row: row r is bit r & 7 of byte r >> 3. */
  readonly members: Uint8Array;
  /** Whether no row belongs to two groups. */
  readonly isSingle: boolean;
  readonly groupsOfRowMax: number;
  /**
   * Joins rows[from], rows[from + 1], ... with their groups until `out` is full or all `count` rows are done; returns
   * the first row that was not joined.
   */
  join(rows: Uint32Array, from: number, count: number, out: JoinedEntries): number;
  /** Releases the memory of the groups. */
  release(): void;
}

function newMembers(shard: DimensionShard, memory: MemoryAccount): Uint32Array<ArrayBuffer> {
  return memory.u32(shard.segments.length * WORDS_PER_SEGMENT);
}

/** At most one group per row, in 16 or 32 bits. */
export class SingleGroups implements GroupsOfRows {
  readonly isSingle = true;
  readonly groupsOfRowMax = 1;
  readonly groupCount: number;
  readonly members: Uint8Array;
  readonly #memory: MemoryAccount;
  readonly #memberWords: Uint32Array<ArrayBuffer>;
  /** By row: the group plus 1; 0 = none. */
  readonly #groups: Uint16Array | Uint32Array;

  constructor(shard: DimensionShard, groupCount: number, memory: MemoryAccount) {
    this.groupCount = groupCount;
    this.#memory = memory;
    this.#memberWords = newMembers(shard, memory);
    this.members = new Uint8Array(this.#memberWords.buffer);
    const narrow = groupCount < 0xffff;
    memory.reserve(shard.rowEnd * (narrow ? 2 : 4));
    this.#groups = narrow ? new Uint16Array(shard.rowEnd) : new Uint32Array(shard.rowEnd);
  }

  /** Assigns row rows[i], which must not have a group yet, to groups[i]. */
  append(rows: Uint32Array, groups: Uint32Array, count: number): void {
    const groupOfRow = this.#groups;
    const members = this.#memberWords;
    for (let at = 0; at < count; at++) {
      const row = rows[at];
      groupOfRow[row] = groups[at] + 1;
      members[row >>> 5] |= 1 << (row & 31);
    }
  }

  join(rows: Uint32Array, from: number, count: number, out: JoinedEntries): number {
    const groupOfRow = this.#groups;
    const { entries, groups } = out;
    let joined = 0;
    const end = Math.min(count, from + entries.length);
    for (let at = from; at < end; at++) {
      const group = groupOfRow[rows[at]];
      if (group === 0) continue;
      entries[joined] = at;
      groups[joined++] = group - 1;
    }
    out.count = joined;
    return end;
  }

  release(): void {
    this.#memory.releaseAll();
  }
}

/** Collects distinct (row, group) pairs in any order, as input of ManyGroups. */
export class PairList {
  readonly #memory: MemoryAccount;
  #rows: Uint32Array<ArrayBuffer>;
  #groups: Uint32Array<ArrayBuffer>;
  #count = 0;

  constructor(memory: MemoryAccount) {
    this.#memory = memory;
    [this.#rows, this.#groups] = [memory.u32(0), memory.u32(0)];
  }

  get count(): number {
    return this.#count;
  }
  get rows(): Uint32Array {
    return this.#rows;
  }
  get groups(): Uint32Array {
    return this.#groups;
  }

  append(rows: Uint32Array, groups: Uint32Array, count: number): void {
    const end = this.#count + count;
    this.#rows = grownWithin(this.#memory, this.#rows, end);
    this.#groups = grownWithin(this.#memory, this.#groups, end);
    this.#rows.set(rows.subarray(0, count), this.#count);
    this.#groups.set(groups.subarray(0, count), this.#count);
    this.#count = end;
  }

  release(): void {
    this.#memory.release(this.#rows.byteLength + this.#groups.byteLength);
    [this.#rows, this.#groups] = [new Uint32Array(0), new Uint32Array(0)];
  }
}

/**
 * Any number of groups per row. Member rows are numbered in row order by a bitmap with a rank per word of 32 rows;
 * member m belongs to groups [starts[m], starts[m + 1]).
 */
export class ManyGroups implements GroupsOfRows {
  readonly isSingle = false;
  readonly groupCount: number;
  readonly groupsOfRowMax: number;
  readonly members: Uint8Array;
  readonly #memory: MemoryAccount;
  readonly #memberWords: Uint32Array<ArrayBuffer>;
  /** By word: the number of members before it. */
  readonly #ranks: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #groups: Uint32Array;

  /** `memory` accounts for the groups until `release`. Throws 9006. */
  constructor(shard: DimensionShard, groupCount: number, pairs: PairList, memory: MemoryAccount) {
    this.groupCount = groupCount;
    this.#memory = memory;
    const members = newMembers(shard, memory);
    this.#memberWords = members;
    this.members = new Uint8Array(members.buffer);
    const { rows, groups, count } = pairs;
    for (let at = 0; at < count; at++) members[rows[at] >>> 5] |= 1 << (rows[at] & 31);
    const ranks = memory.u32(members.length + 1);
    for (let word = 0; word < members.length; word++)
      ranks[word + 1] = ranks[word] + popcount32(members[word]);
    this.#ranks = ranks;
    // First starts[m + 2] counts the groups of member m; then prefix sums turn counts into ends; then, while groups
    // are written, starts[m + 1] moves from the start of member m's groups to their end.
    const starts = memory.u32(ranks[members.length] + 2);
    this.#starts = starts;
    for (let at = 0; at < count; at++) starts[this.#memberOf(rows[at]) + 2]++;
    let most = 0;
    for (let member = 2; member < starts.length; member++) {
      if (starts[member] > most) most = starts[member];
      starts[member] += starts[member - 1];
    }
    this.groupsOfRowMax = most;
    this.#groups = memory.u32(count);
    for (let at = 0; at < count; at++) {
      this.#groups[starts[this.#memberOf(rows[at]) + 1]++] = groups[at];
    }
  }

  /** The member number of the row, which must be a member. */
  #memberOf(row: number): number {
    const word = row >>> 5;
    return this.#ranks[word] + popcount32(this.#memberWords[word] & ((1 << (row & 31)) - 1));
  }

  join(rows: Uint32Array, from: number, count: number, out: JoinedEntries): number {
    const members = this.#memberWords;
    const starts = this.#starts;
    const groupOfRow = this.#groups;
    const { entries, groups } = out;
    let joined = 0;
    let entry = from;
    for (; entry < count; entry++) {
      const row = rows[entry];
      if ((members[row >>> 5] & (1 << (row & 31))) === 0) continue;
      const member = this.#memberOf(row);
      const end = starts[member + 1];
      if (joined + end - starts[member] > entries.length) break;
      for (let at = starts[member]; at < end; at++) {
        entries[joined] = entry;
        groups[joined++] = groupOfRow[at];
      }
    }
    out.count = joined;
    return entry;
  }

  release(): void {
    this.#memory.releaseAll();
  }
}
