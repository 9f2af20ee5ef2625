/** Comparisons: the values by which two segments differ most. */
import { isIn } from './events.js';
import { compareTexts, type Entity, type History, type Scalar, textOf } from './history.js';
import { Float, ratio } from './numbers.js';
import { windowOf } from './periods.js';
import type { Query, Shared } from './question.js';

export interface CompareFields extends Shared {
  readonly segments: readonly { readonly name: string; readonly query: Query }[];
  readonly columns?: readonly string[];
  readonly limit?: number;
}

const LIMIT_DEFAULT = 20;

/** The entity's values of a column as texts, each once; of events those in the window. */
function valuesOf(entity: Entity, column: string, window: readonly [number, number]): string[] {
  const attribute = entity.attributes.get(column);
  const attributes = attribute === undefined ? [] : Array.isArray(attribute) ? attribute : [attribute];
  const events = entity.events
    .flatMap(({ values }) => values.get(column) ?? [])
    .filter(({ seconds }) => isIn(seconds, window))
    .map(({ value }) => value);
  return [...new Set([...attributes, ...events].map((value: Scalar) => textOf(value)))];
}

interface Value {
  readonly column: string;
  readonly value: string;
  readonly counts: readonly [number, number];
}

/** Numerator and denominator of the square of the statistic, without the factor that all values have in common. */
function statisticOf(
  { counts: [a, b] }: Value,
  [m, n]: readonly [number, number],
): readonly [bigint, bigint] {
  const having = BigInt(a + b);
  const lacking = BigInt(m + n) - having;
  if (having * lacking === 0n) return [0n, 1n];
  return [(BigInt(a) * BigInt(n) - BigInt(b) * BigInt(m)) ** 2n, having * lacking];
}

/** The probability of a standard normal variable beyond z on both sides, by Simpson's rule. */
function twoSided(z: number): number {
  const [width, parts] = [14, 20_000];
  const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  const step = width / parts;
  let sum = density(z) + density(z + width);
  for (let part = 1; part < parts; part++) sum += density(z + part * step) * (part % 2 === 1 ? 4 : 2);
  return (2 * sum * step) / 3;
}

/** The p-value of one test; null if a segment is empty. */
function pValueOf({ counts: [a, b] }: Value, [m, n]: readonly [number, number]): number | null {
  if (m === 0 || n === 0) return null;
  const share = (a + b) / (m + n);
  if (a + b === m + n) return 1;
  return twoSided(Math.abs(a / m - b / n) / Math.sqrt(share * (1 - share) * (1 / m + 1 / n)));
}

export function answerCompare(fields: CompareFields, history: History): unknown {
  const window = windowOf(fields);
  const entities = history.entities.filter((entity) => history.satisfies(fields.query, entity));
  const [first, second] = fields.segments.map(({ query }) =>
    entities.filter((entity) => history.satisfies(query, entity)),
  );
  const sizes = [first.length, second.length] as const;
  const all = [
    ...history.entities.flatMap(({ attributes }) => [...attributes.keys()]),
    ...history.eventColumns,
  ];
  const columns = [...new Set(fields.columns ?? all)].sort(compareTexts);
  const values = columns.flatMap((column): Value[] => {
    const count = (segment: readonly Entity[], value: string): number =>
      segment.filter((entity) => valuesOf(entity, column, window).includes(value)).length;
    const texts = new Set([...first, ...second].flatMap((entity) => valuesOf(entity, column, window)));
    return [...texts]
      .sort(compareTexts)
      .map((value) => ({ column, value, counts: [count(first, value), count(second, value)] }));
  });
  const greater = (a: Value, b: Value): number => {
    const [[x, xOf], [y, yOf]] = [statisticOf(a, sizes), statisticOf(b, sizes)];
    return Number(y * xOf > x * yOf) - Number(y * xOf < x * yOf);
  };
  return [...values]
    .sort(greater)
    .slice(0, fields.limit ?? LIMIT_DEFAULT)
    .map((value) => {
      const [a, b] = value.counts;
      const single = pValueOf(value, sizes);
      return {
        ...value,
        shares: [ratio(a, sizes[0]), ratio(b, sizes[1])],
        lift: sizes[0] === 0 || b === 0 ? null : new Float(a / sizes[0] / (b / sizes[1])),
        'p-value': single === null ? null : new Float(Math.min(1, single * values.length)),
      };
    });
}
