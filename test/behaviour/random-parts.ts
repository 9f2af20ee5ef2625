/** Random parts of questions and conditions: EVENTs, predicates, dates and durations. */
import type { Prng } from '../../src/base/index.js';
import { EVENT_COLUMNS, type GeneratedHistory, valuesOf } from './histories.js';
import type { Alternative, EventChoice, Predicates } from './model/question.js';

const DAY = 86_400;

export function predicatesOf(prng: Prng, column: string): Predicates {
  const value = (): unknown => prng.pick(valuesOf(column));
  const isNumber = typeof valuesOf(column)[0] === 'number';
  const values = [value(), value()];
  const texts = valuesOf(column).map(String);
  switch (prng.below(isNumber ? 7 : 6)) {
    case 0:
    case 1:
      return { equals: value() };
    case 2:
      return { in: values };
    case 3:
      return { 'not-equals': value() };
    case 4:
      return isNumber ? { [prng.pick(['gt', 'gte'])]: value() } : { contains: prng.pick(texts).slice(0, 1) };
    case 5:
      return isNumber ? { [prng.pick(['lt', 'lte'])]: value() } : { 'not-in': values };
    default:
      return { gte: value(), lte: value() };
  }
}

/** Columns of one event and what they must satisfy; `lead` is the first one, if it is related. */
function alternativeOf(
  prng: Prng,
  related: readonly string[],
  columns: readonly string[],
  lead: string,
): Alternative {
  const some = (column: string): Predicates => (prng.chance(0.25) ? {} : predicatesOf(prng, column));
  const column = prng.pick(columns);
  if (!related.includes(column)) return { [column]: some(column) };
  const first = columns.includes(lead) ? lead : column;
  const beside = columns.filter((other) => related.includes(other) && other !== first && prng.chance(0.3));
  return Object.fromEntries([first, ...beside].map((name) => [name, some(name)]));
}

/**
 * An EVENT over some of the columns. Alternatives that name related columns name `lead` first, by default any of them, so that
 * they may give an event other dates.
 */
export function choiceOf(
  prng: Prng,
  { related }: GeneratedHistory,
  columns: readonly string[] = Object.keys(EVENT_COLUMNS),
  lead?: string,
): EventChoice {
  const leads = columns.filter((column) => related.includes(column));
  const one = (): Alternative => {
    const first = lead ?? (leads.length === 0 ? columns[0] : prng.pick(leads));
    return alternativeOf(prng, related, columns, first);
  };
  if (prng.chance(0.7)) return one();
  return Array.from({ length: prng.between(1, 3) }, one);
}

export const someColumns = (prng: Prng): string[] => {
  const all = Object.keys(EVENT_COLUMNS);
  const some = all.filter(() => prng.chance(0.5));
  return some.length === 0 ? [prng.pick(all)] : some;
};

/** A distance of two instants of the history, so that events lie exactly at its end. */
export function durationOf(prng: Prng, { instants }: GeneratedHistory): string {
  const seconds = Math.abs(prng.pick(instants) - prng.pick(instants)) + prng.pick([0, 0, 1]);
  if (seconds % 60 === 0 && seconds > 0 && prng.chance(0.5)) return `${seconds / 60}min`;
  return `${Math.max(1, seconds)}sec`;
}

/** A date, or an instant at or next to one of the history. */
export function textOfInstant(prng: Prng, { instants }: GeneratedHistory): string {
  const instant = prng.pick(instants) + prng.pick([-DAY, -1, 0, 0, 0, 1, DAY]);
  const text = new Date(instant * 1000).toISOString();
  if (prng.chance(0.4)) return text.slice(0, 10);
  if (prng.chance(0.1)) return `${new Date((instant + 7200) * 1000).toISOString().slice(0, 19)}+02:00`;
  return `${text.slice(0, 19)}Z`;
}
