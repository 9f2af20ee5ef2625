/**
 * Values inside JSON texts, found without parsing the rest and returned as they are written, so that numbers keep their digits. Texts are
 * valid JSON.
 */

/** A key of an object or an index of an array, from 0; negative from the end. */
export type JsonStep = string | number;

const BLANK = /[ \t\n\r]*/y;

function skipBlanks(text: string, at: number): number {
  BLANK.lastIndex = at;
  BLANK.test(text);
  return BLANK.lastIndex;
}

const SCALAR = /[^,\]}\s]+/y;

/** The index after the JSON value that begins at `from`. */
export function endOfJson(text: string, from: number): number {
  if (text[from] === '"') return endOfString(text, from);
  if (text[from] !== '[' && text[from] !== '{') {
    SCALAR.lastIndex = from;
    SCALAR.test(text);
    return SCALAR.lastIndex;
  }
  let depth = 0;
  for (let at = from; at < text.length; ) {
    const char = text[at];
    at = char === '"' ? endOfString(text, at) : at + 1;
    if (char === '[' || char === '{') depth++;
    else if ((char === ']' || char === '}') && --depth === 0) return at;
  }
  return text.length;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** The members of an array or object in order; `key` is null in an array. */
function* membersOf(text: string): Generator<{ readonly key: string | null; readonly value: string }> {
  const isObject = text[0] === '{';
  let at = skipBlanks(text, 1);
  while (at < text.length && text[at] !== ']' && text[at] !== '}') {
    let key: string | null = null;
    if (isObject) {
      const end = endOfJson(text, at);
      key = JSON.parse(text.slice(at, end)) as string;
      at = skipBlanks(text, skipBlanks(text, end) + 1);
    }
    const end = endOfJson(text, at);
    yield { key, value: text.slice(at, end) };
    at = skipBlanks(text, end);
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
}

/** The number of items of an array; null for another value. */
export function jsonArrayLength(text: string): number | null {
  const bare = text.trim();
  if (bare[0] !== '[') return null;
  let count = 0;
  for (const _member of membersOf(bare)) count++;
  return count;
}

/** The items of an array as they are written; null for another value. */
export function jsonItems(text: string): readonly string[] | null {
  const bare = text.trim();
  return bare[0] === '[' ? Array.from(membersOf(bare), ({ value }) => value) : null;
}

/** The value at a path, as it is written; null if there is none. Of repeated keys, the last one counts. */
export function jsonAt(text: string, path: readonly JsonStep[]): string | null {
  let value = text.trim();
  for (const step of path) {
    const found = typeof step === 'number' ? itemOf(value, step) : memberOf(value, step);
    if (found === null) return null;
    value = found;
  }
  return value;
}

/** The value at a path of keys, which are indexes in arrays, as it is written; null if there is none. */
export function jsonAtKeys(text: string, keys: readonly string[]): string | null {
  let value = text.trim();
  for (const key of keys) {
    const isIndex = /^\s*[+-]?\d{1,9}$/.test(key);
    const found = value[0] !== '[' ? memberOf(value, key) : isIndex ? itemOf(value, Number(key)) : null;
    if (found === null) return null;
    value = found;
  }
  return value;
}

const TYPES: Readonly<Record<string, string>> = {
  ...{ '{': 'object', '[': 'array', '"': 'string', t: 'boolean', f: 'boolean', n: 'null' },
};

/** object, array, string, number, boolean or null. */
export const jsonTypeOf = (text: string): string => TYPES[text.trim()[0]] ?? 'number';

function itemOf(text: string, index: number): string | null {
  if (text[0] !== '[') return null;
  let left = index < 0 ? (jsonArrayLength(text) as number) + index : index;
  if (left < 0) return null;
  for (const { value } of membersOf(text)) if (left-- === 0) return value;
  return null;
}

function memberOf(text: string, wanted: string): string | null {
  if (text[0] !== '{') return null;
  let found: string | null = null;
  for (const { key, value } of membersOf(text)) if (key === wanted) found = value;
  return found;
}

const PATH = /\.(?:"((?:[^"\\]|\\.)*)"|([^.["]+))|\[(-?\d{1,9})\]/y;
const STEPS_MAX = 100;

/** Reads a path such as $.a[0]."b c"; a text without $ is a key, digits are an index. null for another text. */
export function readJsonPath(text: string): readonly JsonStep[] | null {
  if (!text.startsWith('$')) return /^-?\d{1,9}$/.test(text) ? [Number(text)] : [text];
  const steps: JsonStep[] = [];
  const form = new RegExp(PATH);
  form.lastIndex = 1;
  while (form.lastIndex < text.length) {
    const match = form.exec(text);
    if (match === null || steps.length === STEPS_MAX) return null;
    const [, quotedKey, key, index] = match;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(key ?? quotedKey.replace(/\\(.)/g, '$1'));
  }
  return steps;
}
