/** Functions of generated SQL that DuckDB has under the same or another name: texts of dates, intervals, parts of texts, whole numbers. */
import { BOOLEAN, DATE, DATETIME, forms, integer, piece, TEXT } from '../support/sql/sql-piece.js';
import { type Call, plain, varied } from './sql-call.js';

const INTERVALS = [
  "INTERVAL '1 day'",
  "INTERVAL '2 months'",
  "INTERVAL '1 year 3 days'",
  "INTERVAL '90 minutes'",
];
const FORMATS = ['%Y-%m-%d', '%d.%m.%y', '%H:%M:%S', '%a %d %b %Y', '%j %U %V %G', '%I %p', '%A, %-d %B'];

const whole = (name: string): Call => plain(integer(12), ['datetime'], name, `CAST(${name} AS HUGEINT)`);

export const FUNCTION_CALLS: readonly Call[] = [
  varied('text', ['datetime'], (prng, args) => {
    const form = `strftime($0, '${prng.pick(FORMATS)}')`;
    return piece({ ...TEXT, tame: false }, forms(form, form), args);
  }),
  varied('datetime', ['datetime'], (prng, args) => {
    // Sums near the last years are refused here.
    if (!args[0].tame) return null;
    const form = `$0 ${prng.pick(['+', '-'])} ${prng.pick(INTERVALS)}`;
    return piece(DATETIME, forms(`(${form})`, `(${form})`), args);
  }),
  varied('datetime', ['datetime'], (prng, args) => {
    if (!args[0].tame) return null;
    const width = prng.pick(["INTERVAL '15 minutes'", "INTERVAL '3 days'", "INTERVAL '2 months'"]);
    const form = `time_bucket(${width}, $0)`;
    return piece(DATETIME, forms(form, `CAST(${form} AS TIMESTAMP)`), args);
  }),
  whole('extract(epoch FROM $0)'),
  whole('extract(isodow FROM $0)'),
  whole('extract(dow FROM $0)'),
  whole('isoyear($0)'),
  whole('yearweek($0)'),
  whole('extract(decade FROM $0)'),
  plain(
    integer(12),
    ['datetime', 'datetime'],
    "date_sub('month', $0, $1)",
    "CAST(date_sub('month', $0, $1) AS HUGEINT)",
  ),
  plain(
    integer(12),
    ['datetime', 'datetime'],
    'extract(epoch FROM $0 - $1)',
    "CAST(date_diff('second', $1, $0) AS HUGEINT)",
  ),
  plain(
    BOOLEAN,
    ['datetime', 'datetime'],
    "($0 - $1 > INTERVAL '100 days')",
    "(date_diff('second', $1, $0) > 8640000)",
  ),
  plain({ ...TEXT, tame: false }, ['date'], 'dayname($0)', 'dayname($0)'),
  varied('date', ['date'], (_prng, args) =>
    piece(
      { ...DATE, tame: args[0].tame },
      forms("to_date(to_char($0, 'DD.MM.YYYY'), 'DD.MM.YYYY')", '$0'),
      args,
    ),
  ),
  plain(TEXT, ['text'], "split_part($0, 'a', 2)", "split_part($0, 'a', 2)"),
  plain(TEXT, ['text'], "translate($0, 'ab', 'x')", "translate($0, 'ab', 'x')"),
  plain(TEXT, ['text'], 'md5($0)', 'md5($0)'),
  plain(TEXT, ['text'], 'sha256($0)', 'sha256($0)'),
  plain(integer(6), ['text'], 'octet_length($0)', 'CAST(octet_length(encode($0)) AS HUGEINT)'),
];
