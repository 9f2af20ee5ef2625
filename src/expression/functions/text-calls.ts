/** Text functions on vectors. */
import type { ScalarFunction } from '../../ir/index.js';
import { lowerCase } from '../../schema/index.js';
import type { TextVector, Vector } from '../../vector/index.js';
import { Texts } from '../../vector/index.js';
import { tooMuchText, VECTOR_CHARS_MAX } from '../error.js';
import { textOf } from '../kinds.js';
import { isValid } from '../validity.js';
import { packedText } from './packed.js';
import { allValid, beginnings, counts, texts } from './read-rows.js';
import {
  left,
  limitLength,
  pad,
  position,
  repeat,
  replace,
  reverse,
  right,
  substring,
  trim,
  upper,
} from './text-functions.js';

type TextMaker = (args: readonly Vector[]) => (row: number) => string;

const mapped =
  (of: (text: string) => string): TextMaker =>
  ([vector]) => {
    const text = texts(vector);
    return (row) => of(text(row));
  };

const trimmed =
  (atLeft: boolean, atRight: boolean): TextMaker =>
  ([vector, characters]) => {
    const text = texts(vector);
    const set = characters === undefined ? null : texts(characters);
    return (row) => trim(text(row), set === null ? null : set(row), atLeft, atRight);
  };

const counted =
  (of: (text: string, count: number) => string): TextMaker =>
  ([vector, number]) => {
    const text = texts(vector);
    const count = counts(number);
    return (row) => of(text(row), count(row));
  };

const padded =
  (side: 'left' | 'right'): TextMaker =>
  ([vector, number, filler]) => {
    const text = texts(vector);
    const length = counts(number);
    const fill = filler === undefined ? () => ' ' : texts(filler);
    return (row) => pad(text(row), length(row), fill(row), side);
  };

const concatenated: TextMaker = (args) => {
  const parts = args.map((vector) => ({ text: texts(vector), valid: vector.valid }));
  return (row) => {
    let whole = '';
    for (const { text, valid } of parts) if (isValid(valid, row)) whole += text(row);
    limitLength(whole.length);
    return whole;
  };
};

const TEXT_MAKERS: Partial<Readonly<Record<ScalarFunction, TextMaker>>> = {
  lower: mapped(lowerCase),
  upper: mapped(upper),
  reverse: mapped(reverse),
  'packed-text': mapped(packedText),
  trim: trimmed(true, true),
  ltrim: trimmed(true, false),
  rtrim: trimmed(false, true),
  left: ([vector, number]) => {
    const [text, beginning, countOf] = [texts(vector), beginnings(vector), counts(number)];
    return (row) => {
      const count = countOf(row);
      return left(count < 0 ? text(row) : beginning(row, count), count);
    };
  },
  right: counted(right),
  repeat: counted(repeat),
  lpad: padded('left'),
  rpad: padded('right'),
  concat: concatenated,
  'concat-strict': concatenated,
  substring: ([vector, from, number]) => {
    const [text, beginning, start] = [texts(vector), beginnings(vector), counts(from)];
    if (number === undefined) return (row) => substring(text(row), start(row), null);
    const length = counts(number);
    return (row) => {
      const [first, count] = [start(row), length(row)];
      const isAtBeginning = first > 0 && count >= 0;
      return substring(isAtBeginning ? beginning(row, first - 1 + count) : text(row), first, count);
    };
  },
  replace: ([vector, what, by]) => {
    const [text, sought, put] = [texts(vector), texts(what), texts(by)];
    return (row) => replace(text(row), sought(row), put(row));
  },
};

type TextTest = (text: string, other: string) => boolean;

const TESTS: Partial<Readonly<Record<ScalarFunction, TextTest>>> = {
  'starts-with': (text, other) => text.startsWith(other),
  'ends-with': (text, other) => text.endsWith(other),
  contains: (text, other) => text.includes(other),
};

/** Returns the implementation of a text function, or null if `name` is not one. */
export function textFunction(
  name: ScalarFunction,
): ((args: readonly Vector[], count: number) => Vector) | null {
  const maker = TEXT_MAKERS[name];
  if (maker !== undefined) {
    return (args, count) => makeTexts(count, name === 'concat' ? null : allValid(args, count), maker(args));
  }
  const test = TESTS[name];
  if (test !== undefined) return (args, count) => testTexts(count, allValid(args, count), args, test);
  if (name === 'length') return ([vector], count) => lengths(textOf(vector), count);
  return name === 'position' ? positions : null;
}

function makeTexts(count: number, valid: Uint8Array | null, make: (row: number) => string): TextVector {
  const strings = new Array<string>(count).fill('');
  let chars = 0;
  for (let row = 0; row < count; row++) {
    if (!isValid(valid, row)) continue;
    const text = make(row);
    chars += text.length;
    if (chars > VECTOR_CHARS_MAX) throw tooMuchText();
    strings[row] = text;
  }
  return { kind: 'text', count, valid, codes: null, texts: Texts.ofStrings(strings) };
}

function testTexts(
  count: number,
  valid: Uint8Array | null,
  [vector, other]: readonly Vector[],
  test: TextTest,
): Vector {
  const [text, sought] = [texts(vector), texts(other)];
  const bits = new Uint8Array(count);
  for (let row = 0; row < count; row++) {
    if (isValid(valid, row)) bits[row] = test(text(row), sought(row)) ? 1 : 0;
  }
  return { kind: 'boolean', count, valid, bits };
}

function lengths({ codes, texts, valid }: TextVector, count: number): Vector {
  const numbers = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    if (isValid(valid, row)) numbers[row] = texts.codePoints(codes === null ? row : codes[row]);
  }
  return { kind: 'exact', count, valid, numbers, wide: null };
}

function positions(args: readonly Vector[], count: number): Vector {
  const [what, where] = [texts(args[0]), texts(args[1])];
  const valid = allValid(args, count);
  const numbers = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    if (isValid(valid, row)) numbers[row] = position(what(row), where(row));
  }
  return { kind: 'exact', count, valid, numbers, wide: null };
}
