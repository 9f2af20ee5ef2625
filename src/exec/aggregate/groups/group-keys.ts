/**
 * Assigns each row of a shard to a group. Groups are numbered from 1 in order of first occurrence.
 *   no keys      one group
 *   keys         rows whose values of all keys are equal; missing values are equal
 *   per entity   the rows of one entity, which are adjacent
 */
import { grownWithin } from '../../../base/index.js';
import type { Grouping } from '../../../ir/index.js';
import type { Vector, WireVector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { BATCH_ROWS_MAX } from '../../scan/row-batches.js';
import type { Coded, ValueCodes } from './group-codes.js';
import { CodeNumbers, PairNumbers } from './group-pairs.js';
import { valueCodes } from './group-value-codes.js';

export interface RowGroups {
  /** Number of groups so far. */
  readonly count: number;
  /** Whether `number` reads the entity rows. */
  readonly byEntity: boolean;
  /** Writes the group of each row; `keys` has one vector per key. Throws 9006. */
  number(keys: readonly Vector[], entityRows: Uint32Array, count: number, out: Uint32Array): void;
  /** The keys of all groups. Their memory is reserved in the run. May be called only once. Throws 9006. */
  keys(run: QueryRun): WireVector[];
  /** How rows are grouped, for EXPLAIN. */
  readonly note: string;
}

/** `directPairsMax`: the largest number of slots of a direct pair table. Throws 9006. */
export function rowGroups(
  { keys, perEntity }: Grouping,
  directPairsMax: number,
  memory: QueryRun,
): RowGroups {
  const codes = keys.map(({ type }) => valueCodes(type, memory));
  if (perEntity) return new EntityGroups(codes, memory);
  if (codes.length === 0) return new OneGroup();
  return codes.length === 1
    ? new SingleKey(codes[0], memory)
    : new SeveralKeys(codes, directPairsMax, memory);
}

class OneGroup implements RowGroups {
  readonly count = 1;
  readonly note = 'one group';
  readonly byEntity = false;
  #isWritten = false;

  /** `out` must be the same array in every call, and must not be written elsewhere. */
  number(_keys: readonly Vector[], _entityRows: Uint32Array, _count: number, out: Uint32Array): void {
    if (!this.#isWritten) out.fill(1);
    this.#isWritten = true;
  }

  keys(): WireVector[] {
    return [];
  }
}

class SingleKey implements RowGroups {
  readonly #codes: ValueCodes;
  readonly #numbers: CodeNumbers;
  readonly #scratch = new Uint32Array(BATCH_ROWS_MAX);
  readonly note = 'one key, direct';
  readonly byEntity = false;

  constructor(codes: ValueCodes, memory: QueryRun) {
    this.#codes = codes;
    this.#numbers = new CodeNumbers(memory);
  }

  get count(): number {
    return this.#numbers.count;
  }

  number(keys: readonly Vector[], _entityRows: Uint32Array, count: number, out: Uint32Array): void {
    const coded = this.#codes.code(keys[0], this.#scratch);
    this.#numbers.number(coded, this.#codes.bound, count, out);
  }

  keys(run: QueryRun): WireVector[] {
    return [this.#codes.values(this.#numbers.codes(), run)];
  }
}

/** Numbers the first two keys as pairs, then that number and the third key as pairs, and so on. */
class SeveralKeys implements RowGroups {
  readonly byEntity = false;
  readonly #codes: readonly ValueCodes[];
  readonly #scratch: readonly Uint32Array[];
  /** pairs[k] numbers the pairs of key k + 1 and the keys before it. */
  readonly #pairs: readonly PairNumbers[];
  readonly #memory: QueryRun;

  constructor(codes: readonly ValueCodes[], directPairsMax: number, memory: QueryRun) {
    this.#codes = codes;
    this.#scratch = codes.map(() => new Uint32Array(BATCH_ROWS_MAX));
    this.#pairs = codes.slice(1).map(() => new PairNumbers(memory, directPairsMax));
    this.#memory = memory;
  }

  get count(): number {
    return this.#pairs[this.#pairs.length - 1].count;
  }

  get note(): string {
    return `${this.#codes.length} keys, ${this.#pairs.every(({ isDirect }) => isDirect) ? 'direct' : 'hashed'}`;
  }

  number(keys: readonly Vector[], _entityRows: Uint32Array, count: number, out: Uint32Array): void {
    const codes = this.#codes;
    let before: Coded = codes[0].code(keys[0], this.#scratch[0]);
    let bound = codes[0].bound;
    for (let key = 1; key < codes.length; key++) {
      const coded = codes[key].code(keys[key], this.#scratch[key]);
      const pairs = this.#pairs[key - 1];
      pairs.number(before, bound, coded, codes[key].bound, count, out);
      before = { codes: out, shift: 0 };
      bound = pairs.count + 1;
    }
  }

  keys(run: QueryRun): WireVector[] {
    const answer: WireVector[] = [];
    // By group: the number of its preceding keys; null = the group number itself.
    let numbers: Uint32Array | null = null;
    for (let key = this.#codes.length - 1; key > 0; key--) {
      const [firsts, seconds] = this.#pairs[key - 1].parts();
      const codes: Uint32Array = numbers === null ? seconds : this.#partsOf(seconds, numbers);
      answer.unshift(this.#codes[key].values(codes, run));
      numbers = numbers === null ? firsts : this.#partsOf(firsts, numbers);
    }
    answer.unshift(this.#codes[0].values(numbers ?? new Uint32Array(0), run));
    return answer;
  }

  #partsOf(parts: Uint32Array, numbers: Uint32Array): Uint32Array {
    const answer = this.#memory.u32(numbers.length);
    for (let at = 0; at < numbers.length; at++) answer[at] = parts[numbers[at] - 1];
    return answer;
  }
}

class EntityGroups implements RowGroups {
  readonly #codes: readonly ValueCodes[];
  readonly #scratch: readonly Uint32Array[];
  readonly #memory: QueryRun;
  /** By key: codes by group - 1. */
  readonly #keys: Uint32Array<ArrayBuffer>[];
  #last = -1;
  count = 0;
  readonly note = 'per entity';
  readonly byEntity = true;

  constructor(codes: readonly ValueCodes[], memory: QueryRun) {
    this.#codes = codes;
    this.#scratch = codes.map(() => new Uint32Array(BATCH_ROWS_MAX));
    this.#memory = memory;
    this.#keys = codes.map(() => memory.u32(0));
  }

  number(keys: readonly Vector[], entityRows: Uint32Array, count: number, out: Uint32Array): void {
    const before = this.count;
    for (let row = 0; row < count; row++) {
      if (entityRows[row] !== this.#last) {
        this.#last = entityRows[row];
        this.count++;
      }
      out[row] = this.count;
    }
    for (const [key, codes] of this.#codes.entries()) {
      const coded = codes.code(keys[key], this.#scratch[key]);
      this.#keys[key] = grownWithin(this.#memory, this.#keys[key], this.count);
      keepFirst(coded, out, count, before, this.#keys[key]);
    }
  }

  keys(run: QueryRun): WireVector[] {
    return this.#codes.map((codes, key) => codes.values(this.#keys[key].subarray(0, this.count), run));
  }
}

/** Writes the code of the first row of each group above `before`. */
function keepFirst(
  { codes, shift }: Coded,
  groups: Uint32Array,
  count: number,
  before: number,
  out: Uint32Array,
): void {
  let last = before;
  for (let row = 0; row < count; row++) {
    if (groups[row] === last) continue;
    last = groups[row];
    out[last - 1] = codes[row] + shift;
  }
}
