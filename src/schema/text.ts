/**
 * Lower-casing and counting of text, written once for every floor.
 * Rule: each code point by its simple lower-case mapping, without context; JavaScript's toLowerCase of a whole
 * string differs on final sigma, and its mapping of U+0130 has two code points where the simple one has one.
 */
const CAPITAL_I_WITH_DOT = 0x130;

/** The simple lower-case mapping of one code point. */
export function lowerCodePoint(point: number): number {
  if (point < 0x80) return point >= 0x41 && point <= 0x5a ? point + 32 : point;
  if (point === CAPITAL_I_WITH_DOT) return 0x69;
  const lower = String.fromCodePoint(point).toLowerCase();
  const first = lower.codePointAt(0) as number;
  return lower.length === (first > 0xffff ? 2 : 1) ? first : point;
}

/** A string as it is stored and compared. */
export function lowerCase(text: string): string {
  let plain = true;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80 || (unit >= 0x41 && unit <= 0x5a)) {
      plain = false;
      break;
    }
  }
  if (plain) return text;
  let result = '';
  for (const character of text)
    result += String.fromCodePoint(lowerCodePoint(character.codePointAt(0) as number));
  return result;
}

/** Below 0 when `a` stands before `b` by code points, which is their order as UTF-8 bytes; above 0 behind it. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left === right) continue;
    // Surrogates stand for code points above all others, but below some as code units.
    const [leftHigh, rightHigh] = [isSurrogate(left), isSurrogate(right)];
    return leftHigh === rightHigh ? left - right : leftHigh ? 1 : -1;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

/** Code points in `text`: the length that the interface's bounds speak of. */
export function codePointCount(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdbff || index + 1 === text.length) count++;
    else {
      const next = text.charCodeAt(index + 1);
      if (next >= 0xdc00 && next <= 0xdfff) index++;
      count++;
    }
  }
  return count;
}
