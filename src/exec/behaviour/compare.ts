/**
 * Comparisons of two segments. Slots: the entities of each, and on the main thread the number of values. Values are counted
 * by entities that have them: an event column's by those with such an event in `between`.
 * Cost  linear in entities and events, column by column.
 */
import type { ComparedColumn, CompareQuestion } from '../../ir/index.js';
import { withEntityEvents } from './entity-events.js';
import { EntityTexts } from './entity-groups.js';
import { eachRow, hasRow } from './entity-rows.js';
import { walkEntities } from './entity-walk.js';
import type { KernelInput } from './kernel.js';

/** Memory per number of a value: two counts, and the last entity that has it. */
const NUMBER_BYTES = 12;
const CAPACITY_MIN = 1_024;

export function compareSegments(input: KernelInput<CompareQuestion>): void {
  const members = membersOf(input);
  input.question.columns.forEach((column, index) => {
    if (column.of === 'event') countEventValues(input, column, index, members);
    else countAttributes(input, column, index, members);
  });
}

/** By row: bit 0 = in the first segment, bit 1 = in the second. Counts the entities of both. */
function membersOf({
  question,
  shard,
  events,
  entitiesOf,
  run,
  tally,
}: KernelInput<CompareQuestion>): Uint8Array {
  run.reserve(shard.rowEnd);
  const members = new Uint8Array(shard.rowEnd);
  const [first, second] = question.segments.map(entitiesOf);
  eachRow(shard, events.rows, run, (row) => {
    members[row] = (hasRow(first, row) ? 1 : 0) | (hasRow(second, row) ? 2 : 0);
    tally.counts[0] += members[row] & 1;
    tally.counts[1] += members[row] >> 1;
  });
  return members;
}

function countAttributes(
  { shard, run, pairs }: KernelInput<CompareQuestion>,
  { column, of }: ComparedColumn,
  index: number,
  members: Uint8Array,
): void {
  const texts = new EntityTexts(shard, column, of === 'list', run);
  eachRow(shard, null, run, (row) => {
    const member = members[row];
    if (member === 0) return;
    for (const text of texts.of(row)) pairs.add(index, text, member & 1, member >> 1);
  });
}

function countEventValues(
  { shard, plan, entitiesOf, run, pairs }: KernelInput<CompareQuestion>,
  { column }: ComparedColumn,
  index: number,
  members: Uint8Array,
): void {
  const own = run.child();
  try {
    const events = [[[{ columnId: column.columnId, tests: [] }]]];
    const all = { ...plan, condition: null, events, isTied: false, values: [column] };
    withEntityEvents(shard, all, entitiesOf, own, (found) => {
      const [dates, numbers] = [found.columns[0], found.columns[found.valueColumn]];
      const counts = new NumberCounts(own);
      const { from, to } = plan.between;
      walkEntities(found, own, (row, first, end) => {
        if (members[row] === 0) return;
        for (let at = first; at < end; at++) {
          if (dates[at] >= from && dates[at] <= to) counts.add(numbers[at], row, members[row]);
        }
      });
      counts.each((number, first, second) => pairs.add(index, found.values[0].textOf(number), first, second));
    });
  } finally {
    own.releaseAll();
  }
}

/** Counts each number once per entity; entities ascend. */
class NumberCounts {
  readonly #run: KernelInput['run'];
  #first = new Uint32Array(0);
  #second = new Uint32Array(0);
  /** One more than the row of the last entity. */
  #lastRow = new Uint32Array(0);

  constructor(run: KernelInput['run']) {
    this.#run = run;
  }

  add(number: number, row: number, member: number): void {
    if (number >= this.#first.length) this.#grow(number);
    if (this.#lastRow[number] === row + 1) return;
    this.#lastRow[number] = row + 1;
    this.#first[number] += member & 1;
    this.#second[number] += member >> 1;
  }

  #grow(number: number): void {
    const before = this.#first.length;
    const capacity = Math.max(CAPACITY_MIN, before * 2, number + 1);
    this.#run.reserve((capacity - before) * NUMBER_BYTES);
    const longer = (from: Uint32Array): Uint32Array<ArrayBuffer> => {
      const to = new Uint32Array(capacity);
      to.set(from);
      return to;
    };
    this.#first = longer(this.#first);
    this.#second = longer(this.#second);
    this.#lastRow = longer(this.#lastRow);
  }

  each(act: (number: number, first: number, second: number) => void): void {
    for (let number = 0; number < this.#first.length; number++) {
      if (this.#lastRow[number] > 0) act(number, this.#first[number], this.#second[number]);
    }
  }
}
