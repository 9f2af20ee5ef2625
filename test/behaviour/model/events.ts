/** Which events of an entity satisfy an EVENT, and when. */
import { type Entity, type Scalar, type StoredEvent, textOf } from './history.js';
import type { Alternative, EventChoice, Predicates } from './question.js';

/** An event that satisfies an EVENT, with its date there. */
export interface Occurrence {
  readonly event: StoredEvent;
  readonly seconds: number;
}

function compare(value: Scalar, operand: unknown): number {
  if (typeof value === 'number') return value - Number(operand);
  if (typeof value === 'boolean') return Number(value) - Number(String(operand) === 'true');
  const other = String(operand).toLowerCase();
  return value < other ? -1 : Number(value > other);
}

const some = (operand: unknown, test: (text: string) => boolean): boolean =>
  (Array.isArray(operand) ? operand : [operand]).some((text) => test(String(text).toLowerCase()));

/** Whether a present value satisfies one predicate. */
function holds(value: Scalar, word: string, operand: unknown): boolean {
  if (word.startsWith('not-')) return !holds(value, word.slice('not-'.length), operand);
  const [low, high] = Array.isArray(operand) ? operand : [];
  switch (word) {
    case 'equals':
      return compare(value, operand) === 0;
    case 'in':
      return (operand as readonly unknown[]).some((item) => compare(value, item) === 0);
    case 'range':
      return compare(value, low) >= 0 && compare(value, high) <= 0;
    case 'gt':
      return compare(value, operand) > 0;
    case 'gte':
      return compare(value, operand) >= 0;
    case 'lt':
      return compare(value, operand) < 0;
    case 'lte':
      return compare(value, operand) <= 0;
    case 'contains':
      return some(operand, (text) => textOf(value).includes(text));
    case 'starts-with':
      return some(operand, (text) => textOf(value).startsWith(text));
    case 'ends-with':
      return some(operand, (text) => textOf(value).endsWith(text));
    default:
      throw new Error(`the model does not support the predicate ${word}`);
  }
}

/** Whether a present value satisfies all predicates; `between` and `minfreq` are none. */
export const holdsAll = (value: Scalar, predicates: Predicates): boolean =>
  Object.entries(predicates)
    .filter(([word]) => word !== 'between' && word !== 'minfreq')
    .every(([word, operand]) => holds(value, word, operand));

export const alternativesOf = (choice: EventChoice): readonly Alternative[] =>
  Array.isArray(choice) ? (choice as readonly Alternative[]) : [choice as Alternative];

/** The columns that an EVENT names. */
export const columnsOf = (choice: EventChoice): string[] => [
  ...new Set(alternativesOf(choice).flatMap((alternative) => Object.keys(alternative))),
];

/**
 * The date of the event for the EVENT; null if it does not satisfy it. The date is that of the first column of the first
 * alternative that the event satisfies.
 */
export function dateFor(event: StoredEvent, choice: EventChoice): number | null {
  const fits = (alternative: Alternative): boolean =>
    Object.entries(alternative).every(([column, predicates]) => {
      const dated = event.values.get(column);
      return dated !== undefined && holdsAll(dated.value, predicates);
    });
  const alternative = alternativesOf(choice).find(fits);
  if (alternative === undefined) return null;
  return event.values.get(Object.keys(alternative)[0])!.seconds;
}

/** The events of the entity that satisfy the EVENT, by date. */
export function occurrencesOf(entity: Entity, choice: EventChoice): Occurrence[] {
  return entity.events
    .map((event) => ({ event, seconds: dateFor(event, choice) }))
    .filter((found): found is Occurrence => found.seconds !== null)
    .sort((a, b) => a.seconds - b.seconds);
}

export const isIn = (seconds: number, [from, to]: readonly [number, number]): boolean =>
  from <= seconds && seconds <= to;

/** A stored value of a column, as an event of a stream of columns. */
export interface StreamEvent {
  readonly event: StoredEvent;
  readonly column: string;
  readonly value: Scalar;
  readonly seconds: number;
}

/** The values of the columns, one event each, by date, then column, then value as text. */
export function streamOf(entity: Entity, columns: readonly string[]): StreamEvent[] {
  return entity.events
    .flatMap((event) =>
      [...event.values]
        .filter(([column]) => columns.includes(column))
        .map(([column, dated]): StreamEvent => ({ event, column, ...dated })),
    )
    .sort(compareInStream);
}

/** The order of a stream. */
export function compareInStream(a: StreamEvent, b: StreamEvent): number {
  const [textA, textB] = [`${a.column}\0${textOf(a.value)}`, `${b.column}\0${textOf(b.value)}`];
  return a.seconds - b.seconds || (textA < textB ? -1 : Number(textA > textB));
}
