/**
 * Finds left rows of a mark join for which the match of some right row is unknown because a key value is missing.
 * A pattern is a set of keys, as bits. If the right row has no value for the keys of pattern P, and the left row none
 * for those of pattern Q, their match is unknown if all keys outside P and Q are equal and the condition is not false.
 * So the right rows of each pattern P have a table by the keys outside P and Q, which is built when such rows meet.
 */
import { invariant } from '../../base/index.js';
import { gather, type Vector } from '../../vector/index.js';
import type { RelationBatch } from '../relation/operator.js';
import { PickedBatch } from '../relation/picked-batch.js';
import { Candidates } from './join-candidates.js';
import type { JoinSide } from './join-side.js';
import { buildKeyTable, chainsOf, type KeyTable } from './keys/key-table.js';

/** Patterns are the bits of an integer. */
const KEYS_MAX = 31;

interface PatternTable {
  readonly table: KeyTable;
  readonly candidates: Candidates;
}

export class UnknownMatches {
  readonly #side: JoinSide;
  /** The right rows of each pattern, ascending. */
  readonly #rows: ReadonlyMap<number, Uint32Array>;
  /** By the patterns of both sides. */
  readonly #tables = new Map<string, PatternTable>();

  /** Throws 9006. */
  constructor(side: JoinSide) {
    invariant(side.relation.keys.length <= KEYS_MAX, 'a mark join has few keys');
    this.#side = side;
    side.run.reserve(side.rows.count * 8);
    const { keys } = side.relation;
    const patterns = patternsOf(
      keys.map(({ right }) => side.rows.input(right)),
      keys.map(({ nullsEqual }) => nullsEqual),
      side.rows.count,
    );
    this.#rows = rowsByPattern(patterns, side.rows.count);
  }

  /** Sets unknown[row] = 1 for such rows that are not in `matched`. Throws 6000, 9005, 9006. */
  *find(batch: RelationBatch, matched: Uint8Array, unknown: Uint8Array): Generator<null, undefined> {
    const { keys } = this.#side.relation;
    const left = this.#side.leftKeys(batch);
    const patterns = patternsOf(
      left,
      keys.map(({ nullsEqual }) => nullsEqual),
      batch.count,
    );
    if (patterns === null && this.#rows.size === 1 && this.#rows.has(0)) return;
    for (const [leftPattern, all] of rowsByPattern(patterns, batch.count)) {
      for (const pattern of this.#rows.keys()) {
        const open = all.filter((row) => matched[row] === 0 && unknown[row] === 0);
        if ((pattern | leftPattern) === 0 || open.length === 0) continue;
        const known = yield* this.#tableOf(pattern, leftPattern);
        yield* this.#test(batch, open, known, pattern, leftPattern, unknown);
      }
    }
  }

  *#test(
    batch: RelationBatch,
    open: Uint32Array,
    { table, candidates }: PatternTable,
    pattern: number,
    leftPattern: number,
    unknown: Uint8Array,
  ): Generator<null, undefined> {
    const side = this.#side;
    const picked = new PickedBatch(batch, open);
    const codes = new Int32Array(open.length);
    table.find(this.#outside(side.leftKeys(picked), pattern | leftPattern), open.length, codes);
    if (!side.hasCondition) {
      for (let at = 0; at < open.length; at++) unknown[open[at]] = Number(codes[at] !== 0);
      return;
    }
    const rows = this.#rows.get(pattern) as Uint32Array;
    const done = new Uint8Array(open.length);
    candidates.start(codes, open.length, false, done);
    for (let count = candidates.fill(); count > 0; count = candidates.fill()) {
      side.run.check();
      const { leftRows, rightRows } = candidates;
      for (let at = 0; at < count; at++) rightRows[at] = rows[rightRows[at]];
      const { bits, valid } = side.truth(side.pairs(picked, { count, leftRows, rightRows, optional: false }));
      for (let at = 0; at < count; at++) {
        if (bits[at] === 1 || (valid !== null && valid[at] === 0)) done[leftRows[at]] = 1;
      }
      yield null;
    }
    for (let at = 0; at < open.length; at++) unknown[open[at]] = done[at];
  }

  *#tableOf(pattern: number, leftPattern: number): Generator<null, PatternTable> {
    const name = `${pattern} ${leftPattern}`;
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const { relation, rows: right, run } = this.#side;
    const rows = this.#rows.get(pattern) as Uint32Array;
    const keys = this.#outside(relation.keys, pattern | leftPattern);
    run.reserve(rows.length * keys.length * 9);
    const columns = keys.map(({ right: column, nullsEqual }) => {
      return { vector: gather(right.input(column), rows, rows.length), nullsEqual };
    });
    const { table, codes } = yield* buildKeyTable(columns, rows.length, run);
    const next = this.#side.hasCondition ? chainsOf(codes, run) : null;
    run.release(codes.byteLength);
    const built = { table, candidates: new Candidates(next) };
    this.#tables.set(name, built);
    return built;
  }

  /** The elements, one per key, of the keys outside a pattern. */
  #outside<T>(elements: readonly T[], pattern: number): T[] {
    return elements.filter((_, key) => (pattern & (1 << key)) === 0);
  }
}

/** The pattern of each row, where missing values are not equal; null = all patterns are 0. */
function patternsOf(
  keys: readonly Vector[],
  nullsEqual: readonly boolean[],
  count: number,
): Int32Array | null {
  let patterns: Int32Array | null = null;
  for (const [key, { valid }] of keys.entries()) {
    if (nullsEqual[key] || valid === null) continue;
    patterns ??= new Int32Array(count);
    for (let row = 0; row < count; row++) patterns[row] |= (valid[row] ^ 1) << key;
  }
  return patterns;
}

function rowsByPattern(patterns: Int32Array | null, count: number): Map<number, Uint32Array> {
  if (patterns === null) return new Map([[0, Uint32Array.from({ length: count }, (_, row) => row)]]);
  const sizes = new Map<number, number>();
  for (let row = 0; row < count; row++) sizes.set(patterns[row], (sizes.get(patterns[row]) ?? 0) + 1);
  const rows = new Map([...sizes].map(([pattern, size]) => [pattern, new Uint32Array(size)]));
  const ends = new Map<number, number>();
  for (let row = 0; row < count; row++) {
    const end = ends.get(patterns[row]) ?? 0;
    (rows.get(patterns[row]) as Uint32Array)[end] = row;
    ends.set(patterns[row], end + 1);
  }
  return rows;
}
