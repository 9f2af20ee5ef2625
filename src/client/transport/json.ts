/**
 * Reads and writes JSON whose integers keep their digits: integers within 2^53 are numbers, larger ones bigints. Other numbers
 * are doubles.
 */

const LONG = /\d{16}/;
/** Matches strings and numbers; only integers of 16 digits and more, without fraction or exponent, become bigints. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG_INTEGER = /^-?\d{16,}$/;

/** Parses JSON. Throws SyntaxError if the text is not JSON. */
export function parseExact(text: string): unknown {
  if (!LONG.test(text)) return JSON.parse(text);
  const key = markNotIn(text);
  const marked = text.replace(TOKENS, (token) =>
    LONG_INTEGER.test(token) ? `{"${key}":"${token}"}` : token,
  );
  return JSON.parse(marked, (_, value) => {
    const digits =
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? value[key] : null;
    return digits === null ? value : integerOf(digits);
  });
}

function integerOf(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

/** Like JSON.stringify, but writes bigints as their digits. */
export function writeExact(value: unknown): string {
  let mark: string | null = null;
  const write = (): string =>
    JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${mark ?? ''}${inner}` : inner));
  const plain = write();
  if (!holdsBigint(value)) return plain;
  mark = `${markNotIn(plain)}:`;
  return write().replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}

function holdsBigint(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsBigint);
}

/** A marker that does not occur in the text. */
function markNotIn(text: string): string {
  let mark = 'integer';
  while (text.includes(mark)) mark += 'r';
  return mark;
}
