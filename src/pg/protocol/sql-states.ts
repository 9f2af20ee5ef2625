/** The SQLSTATE that Postgres uses for errors similar to a QuarryError. */
import type { ErrorCode, QuarryError } from '../../base/index.js';

const STATES: Readonly<Partial<Record<ErrorCode, string>>> = {
  1: 'XX000',
  500: '28P01',
  501: '28P01',
  502: '28P01',
  503: '42501',
  504: '28000',
  505: '42501',
  506: '42501',
  507: '42501',
  509: '42501',
  511: '42501',
  1000: '28000',
  1001: '28000',
  1002: '28000',
  1003: '28000',
  1502: '53400',
  2014: '22007',
  9002: '53100',
  9003: '53200',
  9004: '57P03',
  9005: '57014',
  9006: '53200',
  9007: '57014',
};
/** SQLSTATEs of limits of a statement, in addition to its size in bytes and rows. */
const LIMITS: readonly (readonly [RegExp, string])[] = [
  [/nest(s|ed) |nested operators$| parts$|parts of expressions|SELECTs and VALUES$| views/, '54001'],
  [/ columns$|columns in the (answer|statement)$/, '54011'],
  [/took more than .* seconds/, '57014'],
  [/more than [\d,]+ |at most [\d,]+ |^WITH RECURSIVE has not ended|too many (elements|values)/, '54000'],
];
const SYNTAX = '42601';
const OTHER_STATE = '22000';
/** SQLSTATEs of error 6000 by the form of its message. */
const SQL_STATES: readonly (readonly [RegExp, string])[] = [
  [/^there is no (column|name) /i, '42703'],
  [/^there is no (table|dimension) /i, '42P01'],
  [/^there is no (function|aggregate) /i, '42883'],
  [/^there is no type /i, '42704'],
  [/^a row of .* values for |^the SELECT returns .* columns for /, '42601'],
  [/^division by zero$/, '22012'],
  [/^cannot take square root/, '2201F'],
  [/^cannot take logarithm/, '2201E'],
  [/^(integer|smallint) out of range$|^input is out of range$|^value out of range/, '22003'],
  [/^a subquery returned more than one row/, '21000'],
  [/^the statement has no table /, '42P01'],
  [/^ORDER BY .*: SELECT has the column/, '42P10'],
  [/^[A-Z_]+ does not take | takes (numbers|texts?|booleans?|dates?), not /, '42883'],
  [/aggregates are not allowed in |^[A-Z_]+ cannot contain another aggregate/, '42803'],
  [/ cannot be read as /, '22P02'],
  [/^numeric field overflow|more than 38 digits|more than 64 bits/, '22003'],
  [/^a date is outside /, '22008'],
  [/is a column of .*: write the table before it$|^two columns (of the answer )?are called /, '42702'],
  [/^two tables are called /, '42712'],
  [/ must (also )?be in GROUP BY/, '42803'],
  [/ is not available|are not available/, '0A000'],
  [/^column .* already exists$/, '42701'],
  [/ is not a view; use | is a view; its columns /, '42809'],
  [/^a name has at most /, '42622'],
  ...LIMITS,
];

/** Class of the SQLSTATEs of statements that exceed a limit of their form. */
const LIMIT_CLASS = '54';

/** An error of SQL that is a broken rule of another endpoint has the code of that rule in `moreInfo`. */
export function sqlStateOf({ code, message, moreInfo }: QuarryError): string {
  const rule = typeof moreInfo === 'object' && moreInfo !== null ? Reflect.get(moreInfo, 'code') : undefined;
  if (code === 2007 || rule === 2007) return / is outside /.test(message) ? '22003' : '22P02';
  if (rule === 2014) return '22007';
  if (rule === 3003) return '42701';
  if (rule === 4022 || rule === 5006) return '42P07';
  return code === 6000 ? sqlState(message) : (STATES[code] ?? OTHER_STATE);
}

/** Whether the statement is too large or too complex, whoever answers it. */
export const exceedsLimit = (error: QuarryError): boolean => sqlStateOf(error).startsWith(LIMIT_CLASS);

const sqlState = (message: string): string =>
  SQL_STATES.find(([begins]) => begins.test(message))?.[1] ?? SYNTAX;
