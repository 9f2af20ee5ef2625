/** Timelines: the events of one entity, newest first. */
import { isIn } from './events.js';
import { compareTexts, type History, type StoredEvent, textOf } from './history.js';
import { windowOf } from './periods.js';
import type { Shared } from './question.js';

export interface TimelineFields extends Shared {
  readonly 'entity-id': string;
  readonly columns?: readonly string[];
  readonly limit?: number;
}

const LIMIT_DEFAULT = 100;

interface Row {
  readonly seconds: number;
  readonly name: string;
  /** The values by which rows of one date and name are sorted. */
  readonly texts: readonly string[];
  readonly members: object;
}

/** The row of an event; null if it has no value in the columns. */
function rowOf({ values }: StoredEvent, columns: readonly string[], history: History): Row | null {
  const present = columns.filter((column) => values.has(column));
  if (present.length === 0) return null;
  const relation = [...history.relations].find(([, own]) => own.includes(present[0]));
  if (relation === undefined) {
    const { value, seconds } = values.get(present[0])!;
    const text = textOf(value);
    return { seconds, name: present[0], texts: [text], members: { column: present[0], value: text } };
  }
  const [name, own] = relation;
  const textIn = (column: string): string =>
    present.includes(column) ? textOf(values.get(column)!.value) : '';
  const inOrder = own.filter((column) => present.includes(column));
  return {
    seconds: values.get(inOrder[0])!.seconds,
    name,
    texts: own.filter((column) => columns.includes(column)).map(textIn),
    members: {
      relation: name,
      values: Object.fromEntries(inOrder.map((column) => [column, textIn(column)])),
    },
  };
}

function compareRows(a: Row, b: Row): number {
  const byTexts = a.texts.map((text, index) => compareTexts(text, b.texts[index]));
  return b.seconds - a.seconds || compareTexts(a.name, b.name) || (byTexts.find((order) => order !== 0) ?? 0);
}

/** All rows of the timeline. */
export function timelineRows(fields: TimelineFields, history: History): object[] {
  const window = windowOf(fields);
  const columns = fields.columns ?? history.eventColumns;
  return history.entities
    .filter((entity) => entity.id === fields['entity-id'] && history.satisfies(fields.query, entity))
    .flatMap(({ events }) => events.flatMap((event) => rowOf(event, columns, history) ?? []))
    .filter(({ seconds }) => isIn(seconds, window))
    .sort(compareRows)
    .map(({ seconds, members }) => ({
      date: `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`,
      ...members,
    }));
}

/** The first page; a token of the next one may be anything. */
export function answerTimeline(fields: TimelineFields, history: History): unknown {
  const rows = timelineRows(fields, history);
  const limit = fields.limit ?? LIMIT_DEFAULT;
  return { data: rows.slice(0, limit), ...(rows.length > limit && { 'page-token': 'ignore' }) };
}
