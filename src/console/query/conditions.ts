/** Conditions, tests and ranges of time of a draft in the form of the interface. */
import type { Operand, Predicates } from '../../interface/index.js';
import { type Column, columnOf, type Dimension, type ValueKind } from '../server/model.js';
import { type Condition, type Draft, SEGMENT } from './draft.js';
import type { Test, Window } from './fields.js';
import { Problems } from './problems.js';
import { instantText, isZone } from './zone.js';

/** The whole number that was typed, from 1 to `most`. */
export function limitOf(typed: string, most: number, problems: Problems, what = 'How many to show'): number {
  const limit = Number(typed);
  if (Number.isInteger(limit) && limit >= 1 && limit <= most) return limit;
  problems.add(`${what}: a whole number from 1 to ${most}.`);
  return 1;
}

/** The conditions and their operators as a query list of the interface. */
export function filterOf(
  draft: Pick<Draft, 'conditions' | 'join' | 'timeZone'>,
  dimension: Dimension | undefined,
  problems: Problems = new Problems(),
): unknown[] {
  return draft.conditions.flatMap((condition, index) => {
    const bound = boundOf(condition, dimension, problems, draft.timeZone);
    const member = condition.negated ? ['not', bound] : bound;
    return index === 0 ? [member] : [draft.join, member];
  });
}

function boundOf(
  condition: Condition,
  dimension: Dimension | undefined,
  problems: Problems,
  timeZone: string,
): object {
  const [segment = ''] = condition.test.values;
  if (condition.column === SEGMENT) {
    if (!dimension?.segments.includes(segment)) problems.add('Choose a segment that exists.');
    return { segment };
  }
  const column = columnOf(dimension, condition.column);
  if (column !== undefined) return { [column.name]: conditionOf(condition, column, problems, timeZone) };
  problems.add('Choose a column for each condition.');
  return {};
}

function conditionOf(condition: Condition, column: Column, problems: Problems, timeZone: string): Predicates {
  if (!column.isEvent) return predicatesOf(condition.test, column, problems);
  const atLeast = Number(condition.atLeast);
  if (!Number.isInteger(atLeast) || atLeast < 1 || atLeast > 10_000) {
    problems.add(`“${column.name}”, at least: a whole number from 1 to 10,000.`);
  }
  const isAny = condition.test.operator === 'any';
  return {
    ...predicatesOf(condition.test, column, problems),
    ...between(condition, `“${column.name}”`, problems, timeZone),
    ...(isAny || atLeast !== 1 ? { minfreq: atLeast } : {}),
  };
}

/** The draft's range of time in messages. */
export const RANGE = 'Range of time';

const DAY = /^\d{4}-\d\d-\d\d$/;

const DAY_MS = 86_400_000;

/** The first and the last second of a window of days, in UTC if the zone is empty. */
export function instantsOf({ from, to }: Window, timeZone: string): [string, string] {
  if (timeZone === '') return [from, `${to}T23:59:59Z`];
  const dayAfter = new Date(Date.parse(to) + DAY_MS).toISOString();
  const end = new Date(Date.parse(instantText(dayAfter, timeZone)) - 1_000).toISOString();
  return [instantText(from, timeZone), end.replace('.000', '')];
}

/** The window with the whole last day. */
export function between(
  { from, to }: Window,
  what: string,
  problems: Problems,
  timeZone = '',
): { between: [string, string] } {
  const zone = timeZone.trim();
  const isKnown = zone === '' || isZone(zone);
  if (!isKnown) problems.add(`There is no time zone “${zone}”. Type a name such as Europe/Berlin.`);
  if (!DAY.test(from) || !DAY.test(to)) problems.add(`${what}: choose the first and the last day.`);
  else if (from > to) problems.add(`${what}: the first day is after the last day.`);
  const isWhole = DAY.test(from) && DAY.test(to);
  return { between: instantsOf({ from, to }, isWhole && isKnown ? zone : '') };
}

/** The predicates of a test; none for any value. */
export function predicatesOf({ operator, values }: Test, column: Column, problems: Problems): Predicates {
  const operand = (index: number): Operand => operandOf(values[index] ?? '', column, problems);
  if (operator === 'any') return {};
  if (operator === 'near') return nearOf(values, column, problems);
  if (operator === 'range') return { range: [operand(0), operand(1)] };
  if (operator === 'in') {
    const items = (values[0] ?? '').split(',').map((item) => item.trim());
    return { in: items.filter((item) => item !== '').map((item) => operandOf(item, column, problems)) };
  }
  return { [operator]: operand(0) };
}

const EXAMPLES: Readonly<Record<ValueKind, string>> = {
  text: 'some text',
  number: 'a number, such as 120',
  'yes-no': 'yes or no',
  day: 'a day',
  moment: 'a date and a time',
  point: 'longitude and latitude',
};

function operandOf(typed: string, { name, kind }: Column, problems: Problems): Operand {
  const text = typed.trim();
  const isFit = kind === 'number' ? /^-?\d+(\.\d+)?$/.test(text) : text !== '';
  if (!isFit) {
    problems.add(`“${name}” needs ${EXAMPLES[kind]}${text === '' ? '' : `, not “${text}”`}.`);
    return '';
  }
  if (kind === 'yes-no') return text === 'true';
  if (kind === 'moment') return momentOf(text);
  // The interface accepts digits as text too, which keeps digits that a double would lose.
  if (kind === 'number') return String(Number(text)) === text ? Number(text) : text;
  return text;
}

/** Converts `2018-02-01T10:30`, the form of browsers, to a time in UTC. */
const momentOf = (text: string): string =>
  /T\d\d:\d\d$/.test(text) ? `${text}:00Z` : `${text.replace(/Z$/, '')}Z`;

function nearOf(values: readonly string[], { name }: Column, problems: Problems): Predicates {
  const [longitude, latitude, radius] = values.map((value) =>
    value.trim() === '' ? Number.NaN : Number(value),
  );
  const isFit = Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90 && radius > 0;
  if (!isFit) {
    problems.add(`“${name}” needs a longitude (-180 to 180), a latitude (-90 to 90) and kilometres above 0.`);
  }
  return { geo_radius: { longitude, latitude, radius, unit: 'km' } };
}
