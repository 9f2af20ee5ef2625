/** The functions that are evaluated row by row, by name. */
import type { ScalarFunction } from '../../ir/index.js';
import { makeReadNumber, makeWriteNumber } from '../../schema/index.js';
import { DATE_ROW_FUNCTIONS } from '../dates/date-rows.js';
import { TEXT_CHARS_MAX, tooLongText } from '../error.js';
import { GEO_ROW_FUNCTIONS } from '../geo/geo-rows.js';
import { JSON_ROW_FUNCTIONS } from '../json/json-rows.js';
import { decode, encode, md5, sha256 } from './codings.js';
import { makeFormat } from './format-text.js';
import { makeLike } from './like.js';
import { randomOf } from './random.js';
import {
  makeRegexCount,
  makeRegexLike,
  makeRegexPosition,
  makeRegexReplace,
  makeRegexSubstring,
  makeSimilar,
} from './regex-calls.js';
import { makeRegexMatch, makeRegexMatches, makeRegexSplit } from './regex-lists.js';
import type { RowFunction } from './row-function.js';
import {
  characterOf,
  firstPoint,
  inBase,
  initialCapitals,
  makeTranslate,
  overlay,
  quotedLiteral,
  quotedName,
  splitPart,
} from './text-edits.js';

const PLAIN = { result: 'text', strict: true, variadic: false } as const;

const of = (
  call: (...args: never[]) => string | number | boolean | null,
  more: Partial<RowFunction> = {},
): RowFunction => {
  return { ...PLAIN, ...more, make: () => call };
};

/** CONCAT_WS: joins the values that are not missing; missing if the separator is. */
function joined(values: readonly (string | null)[]): string | null {
  const [separator] = values;
  if (separator === null) return null;
  let whole: string | null = null;
  for (let index = 1; index < values.length; index++) {
    const value = values[index];
    if (value !== null) whole = whole === null ? value : whole + separator + value;
    if (whole !== null && whole.length > TEXT_CHARS_MAX) throw tooLongText();
  }
  return whole ?? '';
}

export const ROW_FUNCTIONS: Partial<Readonly<Record<ScalarFunction, RowFunction>>> = {
  ...DATE_ROW_FUNCTIONS,
  ...JSON_ROW_FUNCTIONS,
  ...GEO_ROW_FUNCTIONS,
  random: of(randomOf, { result: 'float' }),
  'split-part': of(splitPart),
  'concat-separated': of(joined, { strict: false, variadic: true }),
  translate: { ...PLAIN, make: makeTranslate },
  'initial-capitals': of(initialCapitals),
  character: of(characterOf),
  'first-point': of(firstPoint, { result: 'integer' }),
  overlay: of(overlay),
  'octet-length': of((text: string) => Buffer.byteLength(text, 'utf8'), { result: 'integer' }),
  md5: of(md5),
  sha256: of(sha256),
  encode: of(encode),
  decode: of(decode),
  format: { ...PLAIN, strict: false, variadic: true, make: makeFormat },
  'write-number': { ...PLAIN, make: makeWriteNumber },
  'read-number': { ...PLAIN, make: makeReadNumber },
  'in-base': of(inBase),
  'quote-literal': of(quotedLiteral),
  'quote-nullable': of((text: string | null) => (text === null ? 'NULL' : quotedLiteral(text)), {
    strict: false,
  }),
  'quote-name': of(quotedName),
  'like-pattern': { ...PLAIN, result: 'boolean', make: makeLike },
  'regex-like': { ...PLAIN, result: 'boolean', make: makeRegexLike },
  'regex-replace': { ...PLAIN, make: makeRegexReplace },
  'regex-substring': { ...PLAIN, make: makeRegexSubstring },
  'regex-count': { ...PLAIN, result: 'integer', make: makeRegexCount },
  'regex-position': { ...PLAIN, result: 'integer', make: makeRegexPosition },
  'regex-match': { ...PLAIN, make: makeRegexMatch },
  'regex-matches': { ...PLAIN, make: makeRegexMatches },
  'regex-split': { ...PLAIN, make: makeRegexSplit },
  similar: { ...PLAIN, result: 'boolean', make: makeSimilar },
};
