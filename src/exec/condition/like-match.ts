/**
 * LIKE patterns over UTF-8.
 * Layout  a pattern is a list of literal bytes, ANY (any bytes) and ONE (one code point).
 * Cost  O(bytes x pattern) at worst, without allocation: only the last ANY is retried.
 */
const ANY = -1;
const ONE = -2;

/** In `pattern`, % matches any text and _ any one code point; \ escapes the next character. */
export function likeTokens(pattern: string): Int16Array {
  const tokens: number[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '%') tokens.push(ANY);
    else if (character === '_') tokens.push(ONE);
    else {
      if (character === '\\' && at + 1 < pattern.length) at++;
      const point = pattern.codePointAt(at) ?? 0;
      const literal = String.fromCodePoint(point);
      tokens.push(...Buffer.from(literal, 'utf8'));
      at += literal.length - 1;
    }
  }
  return Int16Array.from(tokens);
}

/** Whether bytes [from, to) match. */
export function isLike(tokens: Int16Array, bytes: Uint8Array, from: number, to: number): boolean {
  let token = 0;
  let at = from;
  let lastAny = -1;
  let retryAt = from;
  while (at < to) {
    const wanted = token < tokens.length ? tokens[token] : -3;
    if (wanted === ANY) {
      lastAny = token++;
      retryAt = at;
    } else if (wanted === ONE) {
      token++;
      at = nextPoint(bytes, at, to);
    } else if (wanted === bytes[at]) {
      token++;
      at++;
    } else if (lastAny >= 0) {
      token = lastAny + 1;
      retryAt = nextPoint(bytes, retryAt, to);
      at = retryAt;
    } else return false;
  }
  while (token < tokens.length && tokens[token] === ANY) token++;
  return token === tokens.length;
}

function nextPoint(bytes: Uint8Array, at: number, to: number): number {
  let next = at + 1;
  while (next < to && (bytes[next] & 0xc0) === 0x80) next++;
  return next;
}
