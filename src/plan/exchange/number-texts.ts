/** Numbers the texts of columns of several shards together, so that equal texts have equal codes. In slices. */
import type { MemoryAccount, Task } from '../../base/index.js';
import type { PartitionedGroups, PartitionedState } from '../../ir/index.js';
import {
  fromWire,
  type SharedColumn,
  type TextNumbers,
  type TextVector,
  toWire,
} from '../../vector/index.js';
import { joinColumns } from '../select/columns.js';
import { firstRows } from '../select/row-words.js';
import type { NumberedTexts } from './partition-groups.js';

type CodedText = Extract<SharedColumn, { readonly kind: 'text' }>;

const isCoded = (column: SharedColumn | null): column is CodedText =>
  column?.kind === 'text' && column.codes !== null;

/**
 * Numbers the texts of each key and of each aggregate of values separately. The result stays reserved in `memory`.
 * Throws 9006.
 */
export function* numberTexts(
  partials: readonly PartitionedGroups[],
  memory: MemoryAccount,
): Task<NumberedTexts> {
  const numbered = new Map<SharedColumn, TextNumbers>();
  if (partials.length < 2) return numbered;
  const [{ keys, states }] = partials;
  const sets = [
    ...keys.map((_, key) => partials.map((partial) => partial.keys[key])),
    ...states.map((_, state) => partials.map((partial) => valuesOf(partial.states[state]))),
  ];
  for (const set of sets) {
    const coded = set.filter(isCoded).filter((column) => !numbered.has(column));
    if (coded.length > 0) yield* numberTogether(coded, numbered, memory);
  }
  return numbered;
}

const valuesOf = (state: PartitionedState): SharedColumn | null =>
  state.holds === 'extreme' || state.holds === 'values' ? state.values : null;

function* numberTogether(
  columns: readonly CodedText[],
  numbered: Map<SharedColumn, TextNumbers>,
  memory: MemoryAccount,
): Task<void> {
  const lists = columns.map((column): TextVector => {
    const count = column.offsets.length - 1;
    return fromWire({ ...column, count, valid: null, codes: null }) as TextVector;
  });
  const scratch = memory.remainder();
  const joined = (yield* joinColumns(lists, { type: 'text' }, scratch)) as TextVector;
  const firsts = yield* firstRows([joined], joined.count, scratch);
  const { texts } = joined;
  const distinct = toWire({ ...joined, codes: firsts }) as CodedText;
  const { offsets, bytes } = distinct;
  memory.reserve(texts.size * 4 + offsets.byteLength + bytes.byteLength);
  let at = 0;
  for (const [index, column] of columns.entries()) {
    const codes = (distinct.codes as Uint32Array).subarray(at, at + lists[index].count);
    numbered.set(column, { offsets, bytes, codes });
    at += lists[index].count;
  }
}
