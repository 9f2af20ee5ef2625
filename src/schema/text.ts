/**
 * Lower-casing, comparison and length of text; the only implementation in TypeScript.
 * Rule: each code point is replaced by its simple lower-case mapping, without context. JavaScript's toLowerCase differs
 * on final sigma, and maps U+0130 to two code points where the simple mapping has one.
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

/** The form in which a string is stored and compared. */
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

/** Compares by code point, which is the order of the UTF-8 bytes: negative when `a` sorts before `b`, positive when after. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left === right) continue;
    // Surrogate pairs encode the highest code points, but their code units are not the highest.
    const [leftHigh, rightHigh] = [isSurrogate(left), isSurrogate(right)];
    return leftHigh === rightHigh ? left - right : leftHigh ? 1 : -1;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

/** The number of code points in `text`, the unit of the interface's length limits. */
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
