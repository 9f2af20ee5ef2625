/** Exponents from which PostgreSQL writes floats with an exponent. */
const EXPONENT_FROM = 15;
/** The least exponent of a float without an exponent. */
const PLAIN_MIN = -4;

/** The shortest text that parses to the same double, in the form of PostgreSQL: 8, 2.5, 1e+15, 1.5e-05. */
export function formatFloat(value: number): string {
  const magnitude = Math.abs(value);
  if (value === 0 || (magnitude >= 10 ** PLAIN_MIN && magnitude < 10 ** EXPONENT_FROM)) return String(value);
  const [digits, exponent] = value.toExponential().split('e');
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}
