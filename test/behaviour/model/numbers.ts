/** Numbers of answers. */

/** A number that an answer writes with a fraction, even if it is whole. */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
  /** JSON text. */
  get text(): string {
    const text = String(this.value);
    return /[.e]/.test(text) ? text : `${text}.0`;
  }
}

/** null if there is nothing to divide by. */
export const ratio = (count: number, of: number): Float | null => (of === 0 ? null : new Float(count / of));

/** The smallest value that at least this many percent of the values do not exceed; null over nothing. */
export function percentile(values: readonly number[], percent: number): number | null {
  const atLeast = (value: number): boolean =>
    values.filter((other) => other <= value).length * 100 >= percent * values.length;
  return values.filter(atLeast).sort((a, b) => a - b)[0] ?? null;
}

export interface Spread {
  readonly avg: Float | null;
  readonly median: number | null;
  readonly p90: number | null;
}

export const spreadOf = (values: readonly number[]): Spread => ({
  avg: ratio(
    values.reduce((sum, value) => sum + value, 0),
    values.length,
  ),
  median: percentile(values, 50),
  p90: percentile(values, 90),
});
