/** Sequences: a pattern over the string of an entity's events, matched by recursion. */
import { dateFor, isIn } from './events.js';
import { compareNumbers, type Entity, type History } from './history.js';
import { windowOf } from './periods.js';
import type { EventClause, Shared } from './question.js';

export interface SequenceFields extends Shared {
  readonly conditions: readonly EventClause[];
  readonly pattern: string;
}

/** An event of the string, with the numbers of the conditions that it satisfies, ascending from 1. */
interface Letter {
  readonly seconds: number;
  readonly satisfied: readonly number[];
}

type Token =
  | { readonly kind: 'event'; readonly test: (letter: Letter) => boolean }
  | { readonly kind: 'any number' }
  | { readonly kind: 'time'; readonly test: (seconds: number) => boolean };

/** The date of an event with several is that for the first condition that it satisfies in the window. */
function stringOf({ conditions, ...shared }: SequenceFields, entity: Entity): Letter[] {
  const window = windowOf(shared);
  return entity.events
    .flatMap((event): Letter[] => {
      const dates = conditions.map((clause) => dateFor(event, clause.event));
      const satisfied = [...dates.keys()].filter(
        (index) => dates[index] !== null && isIn(dates[index], window),
      );
      if (satisfied.length === 0) return [];
      return [{ seconds: dates[satisfied[0]]!, satisfied: satisfied.map((index) => index + 1) }];
    })
    .sort((a, b) => a.seconds - b.seconds || compareNumbers(a.satisfied, b.satisfied));
}

function timeTest(comparison: string, bound: number): (seconds: number) => boolean {
  switch (comparison) {
    case '<=':
      return (seconds) => seconds <= bound;
    case '<':
      return (seconds) => seconds < bound;
    case '>=':
      return (seconds) => seconds >= bound;
    case '>':
      return (seconds) => seconds > bound;
    default:
      return (seconds) => seconds === bound;
  }
}

function tokensOf(pattern: string): Token[] {
  return [...pattern.matchAll(/\(\?(!?)(\d+)\)|\(\?t(<=|>=|==|<|>)(\d+)\)|\.\*|\./g)].map(
    ([text, negation, number, comparison, bound]): Token => {
      if (text === '.*') return { kind: 'any number' };
      if (text === '.') return { kind: 'event', test: () => true };
      if (comparison !== undefined) return { kind: 'time', test: timeTest(comparison, Number(bound)) };
      const isWanted = negation === '';
      return {
        kind: 'event',
        test: ({ satisfied }) => satisfied.includes(Number(number)) === isWanted,
      };
    },
  );
}

/** How far a match got: the next letter, the date of the letter matched last, and the times that the next must pass. */
interface Progress {
  readonly at: number;
  readonly last: number | null;
  readonly times: readonly ((seconds: number) => boolean)[];
}

/** The ends (exclusive) of all matches of the tokens from there. */
function* endsFrom(
  [token, ...rest]: readonly Token[],
  letters: readonly Letter[],
  progress: Progress,
): Generator<number> {
  const { at, last, times } = progress;
  if (token === undefined) {
    yield at;
  } else if (token.kind === 'time') {
    yield* endsFrom(rest, letters, { at, last, times: [...times, token.test] });
  } else if (token.kind === 'any number') {
    for (let next = at; next <= letters.length; next++)
      yield* endsFrom(rest, letters, { at: next, last, times });
  } else {
    // A time lets any number of other events lie before the one matched next.
    const latest = times.length === 0 ? at : letters.length - 1;
    for (let next = at; next <= latest && next < letters.length; next++) {
      const letter = letters[next];
      if (!token.test(letter) || !times.every((test) => test(letter.seconds - last!))) continue;
      yield* endsFrom(rest, letters, { at: next + 1, last: letter.seconds, times: [] });
    }
  }
}

/** Matches without overlaps, from left to right. */
function matchCount(fields: SequenceFields, entity: Entity): number {
  const letters = stringOf(fields, entity);
  const tokens = tokensOf(fields.pattern);
  let count = 0;
  for (let begin = 0; begin < letters.length; ) {
    const end = Math.min(...endsFrom(tokens, letters, { at: begin, last: null, times: [] }));
    if (Number.isFinite(end)) count++;
    begin = Number.isFinite(end) ? end : begin + 1;
  }
  return count;
}

export function answerSequence(fields: SequenceFields, history: History): unknown {
  const counts = history.entities
    .filter((entity) => history.satisfies(fields.query, entity))
    .map((entity) => matchCount(fields, entity));
  return {
    entities: counts.filter((count) => count > 0).length,
    matches: counts.reduce((sum, count) => sum + count, 0),
  };
}

export const hasMatch = (fields: SequenceFields, entity: Entity, history: History): boolean =>
  history.satisfies(fields.query, entity) && matchCount(fields, entity) > 0;
