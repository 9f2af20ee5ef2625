/**
 * Dates as texts of a format, and texts of a format as dates. Calls whose arguments are constants become constants, so that they are
 * allowed where a constant is required.
 */
import { BOOLEAN, type Expression, FLOAT, TEXT } from '../../../ir/index.js';
import { makeReadTemplate, makeStrftime, makeStrptime, makeWriteTemplate } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import { callOf, constantOf, DATE, DATETIME, isNull, isTextConstant } from '../expressions/build.js';
import { explicitCast } from '../expressions/cast.js';
import { castTo, readAs } from '../expressions/coerce.js';
import { isDate, isNumber, typeName } from '../expressions/types.js';
import { type CallSite, positioned, type SqlFunction } from './function.js';

type Make = SqlFunction['make'];

const READERS = {
  'read-date': makeReadTemplate,
  strptime: makeStrptime(false),
  'try-strptime': makeStrptime(true),
} as const;

/** Reads a text by a format. Throws 6000. */
function read(name: keyof typeof READERS, [text, format]: readonly Expression[], site: CallSite): Expression {
  if (isNull(text) || isNull(format)) return constantOf(DATETIME, null);
  for (const of of [text, format]) {
    if (of.type.type !== 'text')
      throw sqlError(`a text is read here, not ${typeName(of.type)}`, site.position);
  }
  if (!isTextConstant(text) || !isTextConstant(format)) return callOf(name, DATETIME, [text, format]);
  const seconds = positioned(site, () => READERS[name]()(text.value, format.value));
  return constantOf(DATETIME, seconds === null ? null : BigInt(seconds));
}

const toDate: Make = ([value, format], site) =>
  explicitCast(
    format === undefined ? value : read('read-date', [value, format], site),
    DATE,
    false,
    site.position,
  );

/** TO_TIMESTAMP(text, template), or of seconds since 1970. */
const toTimestamp: Make = ([value, format], site) => {
  if (format !== undefined) return read('read-date', [value, format], site);
  if (isNull(value)) return constantOf(DATETIME, null);
  if (isNumber(value.type)) return callOf('from-epoch', DATETIME, [castTo(value, FLOAT, site.position)]);
  const what = `TO_TIMESTAMP of one argument takes seconds since 1970, not ${typeName(value.type)}`;
  throw sqlError(`${what}; a text needs a format`, site.position);
};

const parsed =
  (name: keyof typeof READERS): Make =>
  (args, site) =>
    read(name, args, site);

/** The datetime that a text constant, a date or a datetime is. */
export function asDatetime(date: Expression, { position }: CallSite): Expression {
  const dated = isTextConstant(date) ? readAs(date, DATETIME, position) : date;
  return castTo(dated, DATETIME, position);
}

/** TO_CHAR(date, template). */
export function dateText(date: Expression, template: Expression, site: CallSite): Expression {
  const { type } = date;
  const zoned = !(type.type === 'datetime' && type.local === true);
  if (isTextConstant(template)) positioned(site, () => makeWriteTemplate()(0, template.value, zoned));
  return callOf('write-date', TEXT, [asDatetime(date, site), template, constantOf(BOOLEAN, zoned)]);
}

/** STRFTIME(date, format), or with the arguments in the other order. */
const formatted: Make = ([first, second], site) => {
  const isFormat = (of: Expression): boolean =>
    of.type.type === 'text' && !(isTextConstant(of) && !of.value.includes('%'));
  const [date, format] = isFormat(first) && !isFormat(second) ? [second, first] : [first, second];
  if (isNull(date) || isNull(format)) return constantOf(TEXT, null);
  if (format.type.type !== 'text' || !(isDate(date.type) || isTextConstant(date))) {
    throw sqlError(`STRFTIME takes a date and a format such as '%Y-%m-%d'`, site.position);
  }
  return strftime(date, format, site);
};

function strftime(date: Expression, format: Expression, site: CallSite): Expression {
  if (isTextConstant(format)) positioned(site, () => makeStrftime()(0, format.value));
  return callOf('strftime', TEXT, [asDatetime(date, site), format]);
}

const named =
  (format: string): Make =>
  ([date], site) =>
    strftime(date, constantOf(TEXT, format), site);

export const DATE_TEXT_FUNCTIONS: readonly SqlFunction[] = [
  { names: ['to_date'], parameters: ['value'], optional: ['text'], make: toDate },
  { names: ['to_timestamp'], parameters: ['value'], optional: ['text'], make: toTimestamp },
  { names: ['strftime'], parameters: ['value', 'value'], make: formatted },
  { names: ['strptime'], parameters: ['value', 'text'], make: parsed('strptime') },
  { names: ['try_strptime'], parameters: ['value', 'text'], make: parsed('try-strptime') },
  { names: ['dayname'], parameters: ['date'], make: named('%A') },
  { names: ['monthname'], parameters: ['date'], make: named('%B') },
];
