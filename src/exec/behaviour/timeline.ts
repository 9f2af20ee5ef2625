/**
 * Timelines: the events of one entity, newest first. Values of a relation that are tied are one event, whose date is that of
 * its first column.
 * Cost  a scan of the columns' events for the entity; 24 bytes per event of the entity; only the rows of the page and those
 *       of the page's last second are written.
 */
import type { TimelinePosition, TimelineQuestion } from '../../ir/index.js';
import { formatDateTime } from '../../schema/index.js';
import type { EventSegment } from '../../storage/index.js';
import { hasRow } from './entity-rows.js';
import { EventTableBuilder } from './event-table.js';
import { EventValueNumbers } from './event-values.js';
import type { KernelInput } from './kernel.js';

/** Memory of an entry of a map from links to events, and of a row. */
const LINK_BYTES = 64;
const ROW_BYTES = 400;

export function readTimeline(input: KernelInput<TimelineQuestion>): void {
  const { shard, question, events, rows } = input;
  const row = shard.rowOfId(Buffer.from(question.entityId, 'utf8'));
  if (row < 0 || shard.isDead(row) || !hasRow(events.rows, row)) return;
  const reader = new TimelineReader(input, row);
  rows.push(...reader.page());
}

/** Columns of the table of events. */
const [GROUP, DATE, COLUMN, NUMBER, NEXT, IS_TIED] = [0, 1, 2, 3, 4, 5];

/** A row of the answer, and the first of its events. */
interface Candidate extends Omit<TimelinePosition, 'repeats'> {
  readonly group: number;
  readonly event: number;
}

class TimelineReader {
  readonly #input: KernelInput<TimelineQuestion>;
  readonly #row: number;
  readonly #table: EventTableBuilder;
  readonly #numbers: readonly EventValueNumbers[];
  /** The first event by link. */
  readonly #byLink = new Map<number, number>();

  constructor(input: KernelInput<TimelineQuestion>, row: number) {
    const { question, shard, run } = input;
    this.#input = input;
    this.#row = row;
    this.#table = new EventTableBuilder(6, run);
    this.#numbers = question.columns.map(({ column }) => new EventValueNumbers(shard, column));
  }

  /** Throws 9005, 9006. */
  page(): { position: TimelinePosition; json: string }[] {
    const { question, shard, run } = this.#input;
    question.columns.forEach(({ column }, index) => {
      for (const segment of shard.events.get(column.columnId)?.segments ?? []) {
        run.check();
        if (segment.eventCount > 0) this.#read(segment, index);
      }
    });
    const candidates = this.#candidates();
    const { after, limit } = question;
    const page: { position: TimelinePosition; json: string }[] = [];
    let last: TimelinePosition | null = null;
    for (const candidate of candidates) {
      const position: TimelinePosition = numbered(candidate, last);
      last = position;
      if (after !== null && isUpTo(position, after)) continue;
      page.push({ position, json: this.#jsonOf(candidate) });
      if (page.length > limit) break;
    }
    return page;
  }

  #read(segment: EventSegment, column: number): void {
    const { rows, dates } = segment.datesAndRows(segment.eventCount);
    let event = rows.indexOf(this.#row);
    if (event < 0) return;
    const { question } = this.#input;
    const { group } = question.columns[column];
    const links = question.groups[group].isRelation ? segment.links() : null;
    const read = this.#numbers[column].readerOf(segment);
    for (; event >= 0; event = rows.indexOf(this.#row, event + 1)) {
      this.#add([group, dates[event], column, read(event)], links === null ? 0 : links[event]);
    }
  }

  #add(values: readonly number[], link: number): void {
    const { run } = this.#input;
    this.#table.grow(1);
    const { columns } = this.#table;
    const event = this.#table.count++;
    values.forEach((value, index) => {
      columns[index][event] = value;
    });
    columns[NEXT][event] = 0;
    columns[IS_TIED][event] = 0;
    if (link === 0) return;
    const first = this.#byLink.get(link);
    if (first === undefined) {
      run.reserve(LINK_BYTES);
      this.#byLink.set(link, event);
      return;
    }
    columns[NEXT][event] = columns[NEXT][first];
    columns[NEXT][first] = event + 1;
    columns[IS_TIED][event] = 1;
  }

  /** The rows from the first of the page on, in order; more than the page has only of its last second. */
  #candidates(): readonly Candidate[] {
    const { question, plan, run } = this.#input;
    const { columns, count } = this.#table;
    const newest = Math.min(plan.between.to, question.after?.date ?? Number.POSITIVE_INFINITY);
    run.reserve(count * 8);
    const found = new Uint32Array(count);
    let size = 0;
    let repeated = 0;
    for (let event = 0; event < count; event++) {
      const date = columns[DATE][event];
      if (columns[IS_TIED][event] === 1 || date < plan.between.from || date > newest) continue;
      found[size++] = event;
      if (date === question.after?.date) repeated++;
    }
    const dates = found.slice(0, size).map((event) => columns[DATE][event]);
    dates.sort();
    const oldest = dates[Math.max(0, size - (question.limit + 1 + repeated))] ?? 0;
    const candidates: Candidate[] = [];
    for (let at = 0; at < size; at++) {
      if (columns[DATE][found[at]] < oldest) continue;
      run.reserve(ROW_BYTES);
      candidates.push(this.#candidate(found[at]));
    }
    return candidates.sort(comparePositions);
  }

  #candidate(event: number): Candidate {
    const { columns } = this.#table;
    const group = columns[GROUP][event];
    const texts = this.#members(event).map(({ text }) => text);
    return { ...this.#input.question.groups[group], group, event, date: columns[DATE][event], texts };
  }

  /** The values of an event by the columns of its group, an empty text for a missing one. */
  #members(event: number): { readonly name: string; readonly text: string; readonly isPresent: boolean }[] {
    const { question } = this.#input;
    const { columns } = this.#table;
    const numbers = new Map<number, number>();
    for (let at = event + 1; at > 0; at = columns[NEXT][at - 1]) {
      numbers.set(columns[COLUMN][at - 1], columns[NUMBER][at - 1]);
    }
    return question.columns.flatMap(({ group, name }, index) => {
      if (group !== columns[GROUP][event]) return [];
      const number = numbers.get(index);
      const text = number === undefined ? '' : this.#numbers[index].textOf(number);
      return [{ name, text, isPresent: number !== undefined }];
    });
  }

  #jsonOf({ date, name, isRelation, event }: Candidate): string {
    const members = this.#members(event).filter(({ isPresent }) => isPresent);
    const head = `{"date":"${formatDateTime(date)}","${isRelation ? 'relation' : 'column'}":${JSON.stringify(name)}`;
    if (!isRelation) return `${head},"value":${JSON.stringify(members[0].text)}}`;
    const values = members.map((one) => `${JSON.stringify(one.name)}:${JSON.stringify(one.text)}`);
    return `${head},"values":{${values.join()}}}`;
  }
}

type Position = Omit<TimelinePosition, 'repeats'>;

/** The position of a row, which is equal to the one before or not. */
function numbered(
  { date, name, isRelation, texts }: Position,
  last: TimelinePosition | null,
): TimelinePosition {
  const own = { date, name, isRelation, texts };
  return { ...own, repeats: last !== null && comparePositions(own, last) === 0 ? last.repeats + 1 : 1 };
}

/** Newest first, then by name and texts. */
function comparePositions(a: Position, b: Position): number {
  if (a.date !== b.date) return b.date - a.date;
  const byName = compareTexts(a.name, b.name) || Number(a.isRelation) - Number(b.isRelation);
  if (byName !== 0) return byName;
  for (let index = 0; index < Math.min(a.texts.length, b.texts.length); index++) {
    const order = compareTexts(a.texts[index], b.texts[index]);
    if (order !== 0) return order;
  }
  return a.texts.length - b.texts.length;
}

const compareTexts = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Whether a row is on an earlier page than those after `last`. */
function isUpTo(position: TimelinePosition, last: TimelinePosition): boolean {
  const order = comparePositions(position, last);
  return order === 0 ? position.repeats <= last.repeats : order < 0;
}
