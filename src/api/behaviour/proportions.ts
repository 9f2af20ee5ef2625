/** The test of two proportions. */

/**
 * The two-sided p-value of the hypothesis that two shares are equal, by the normal approximation with the pooled share; null
 * if a group is empty.
 */
export function proportionsPValue(
  counts: readonly [number, number],
  sizes: readonly [number, number],
): number | null {
  const [m, n] = sizes;
  if (m === 0 || n === 0) return null;
  const [first, second] = counts;
  const pooled = (first + second) / (m + n);
  const variance = pooled * (1 - pooled) * (1 / m + 1 / n);
  if (first + second === m + n || first + second === 0) return 1;
  return erfc(Math.abs(first / m - second / n) / Math.sqrt(2 * variance));
}

const SERIES_MAX = 2.5;
const TERMS = 120;

/** The complementary error function of x >= 0: by the series of erf for small x, by a continued fraction for others. */
export function erfc(x: number): number {
  if (x < SERIES_MAX) {
    let term = x;
    let sum = x;
    for (let n = 1; n < TERMS && Math.abs(term) > sum * Number.EPSILON * 0.01; n++) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return 1 - (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  }
  let fraction = x;
  for (let n = TERMS; n >= 1; n--) fraction = x + n / 2 / fraction;
  return Math.exp(-x * x) / (fraction * Math.sqrt(Math.PI));
}
