/** The date functions of generated SQL, each with its equivalent in DuckDB and, if there is one, in SQLite. */
import { DATE, DATETIME, duckType, forms, integer, piece } from '../support/sql/sql-piece.js';
import { type Call, varied } from './sql-call.js';

const UNITS = [
  { names: ['year', 'yy', 'yyyy'], duck: 'year', lite: '%Y' },
  { names: ['quarter', 'qq', 'q'], duck: 'quarter', lite: null },
  { names: ['month', 'mm', 'm'], duck: 'month', lite: '%m' },
  { names: ['week', 'wk', 'ww'], duck: 'week', lite: null },
  { names: ['day', 'dd', 'd'], duck: 'day', lite: '%d' },
] as const;
const TIME_UNITS = [
  { names: ['hour', 'hh'], duck: 'hour', lite: '%H' },
  { names: ['minute', 'mi', 'n'], duck: 'minute', lite: '%M' },
  { names: ['second', 'ss', 's'], duck: 'second', lite: '%S' },
] as const;
const UNIT_FUNCTIONS = ['YEAR', 'QUARTER', 'MONTH', 'DAY'];

/** A part of a date; in SQLite except for the first years. */
function datePart(type: 'date' | 'datetime'): Call {
  return varied('integer', [type], (prng, args) => {
    if (prng.chance(0.15)) {
      const [name, duck] = prng.pick([
        ['dw', 'dayofweek($0) + 1'],
        ['dayofyear', 'dayofyear($0)'],
      ] as const);
      return piece(integer(3), forms(`DATEPART('${name}', $0)`, `CAST(${duck} AS HUGEINT)`), args);
    }
    if (prng.chance(0.3)) {
      const name = prng.pick(UNIT_FUNCTIONS);
      return piece(integer(4), forms(`${name}($0)`, `CAST(${name}($0) AS HUGEINT)`), args);
    }
    const unit = prng.pick(type === 'date' ? UNITS : [...UNITS, ...TIME_UNITS]);
    const name = prng.pick(unit.names);
    const quarry = `DATEPART(${prng.chance(0.7) ? `'${name}'` : name}, $0)`;
    const lite = unit.lite === null ? null : `CAST(strftime('${unit.lite}', $0) AS INTEGER)`;
    return piece(integer(4), forms(quarry, `CAST(date_part('${unit.duck}', $0) AS HUGEINT)`, lite), args);
  });
}

function dateDifference(type: 'date' | 'datetime'): Call {
  return varied('integer', [type, type], (prng, args) => {
    const unit = prng.pick(type === 'date' ? UNITS : [...UNITS, ...TIME_UNITS]);
    const duck = `CAST(date_diff('${unit.duck}', $0, $1) AS HUGEINT)`;
    return piece(integer(12), forms(`DATEDIFF('${prng.pick(unit.names)}', $0, $1)`, duck), args);
  });
}

function dateTruncate(type: 'date' | 'datetime'): Call {
  return varied(type, [type], (prng, args) => {
    const unit = prng.pick(type === 'date' ? UNITS : [...UNITS, ...TIME_UNITS]);
    const of = type === 'date' ? DATE : DATETIME;
    if (!args[0].tame) return null;
    return piece(
      of,
      forms(`DATE_TRUNC('${unit.duck}', $0)`, `CAST(date_trunc('${unit.duck}', $0) AS ${duckType(of)})`),
      args,
    );
  });
}

function dateAdd(type: 'date' | 'datetime'): Call {
  return varied(type, [type], (prng, args) => {
    if (!args[0].tame) return null;
    const unit = prng.pick(type === 'date' ? UNITS : [...UNITS, ...TIME_UNITS]);
    const count = prng.between(-20, 20);
    const of = type === 'date' ? DATE : DATETIME;
    // One quarter is three months.
    const [duckCount, word] = unit.duck === 'quarter' ? [count * 3, 'months'] : [count, `${unit.duck}s`];
    const duck = `CAST($0 + to_${word}(${duckCount}) AS ${duckType(of)})`;
    if (unit.duck === 'day' && prng.chance(0.5)) return piece(of, forms(`($0 + (${count}))`, duck), args);
    return piece(of, forms(`DATEADD('${prng.pick(unit.names)}', ${count}, $0)`, duck), args);
  });
}

export const DATE_CALLS: readonly Call[] = [
  datePart('date'),
  datePart('datetime'),
  dateDifference('date'),
  dateDifference('datetime'),
  dateTruncate('date'),
  dateTruncate('datetime'),
  dateAdd('date'),
  dateAdd('datetime'),
  varied('date', ['datetime'], (_prng, args) =>
    piece(
      { ...DATE, tame: args[0].tame },
      forms('CAST($0 AS date)', 'CAST($0 AS DATE)', 'substr($0, 1, 10)'),
      args,
    ),
  ),
  varied('date', ['date'], (_prng, args) =>
    args[0].tame ? piece(DATE, forms('EOMONTH($0)', 'last_day($0)'), args) : null,
  ),
  varied('date', ['date'], (prng, args) => {
    const months = prng.between(-40, 40);
    const duck = `last_day(CAST($0 + to_months(${months}) AS DATE))`;
    return args[0].tame ? piece(DATE, forms(`EOMONTH($0, ${months})`, duck), args) : null;
  }),
  varied('datetime', ['date'], (_prng, args) =>
    piece(
      { ...DATETIME, tame: args[0].tame },
      forms('CAST($0 AS datetime)', 'CAST($0 AS TIMESTAMP)', "($0 || 'T00:00:00Z')"),
      args,
    ),
  ),
  varied('date', [], (prng) => {
    const args = `${prng.between(1960, 2030)}, ${prng.between(1, 12)}, ${prng.between(1, 28)}`;
    return piece(DATE, forms(`DATEFROMPARTS(${args})`, `make_date(${args})`));
  }),
  varied('integer', ['date', 'date'], (_prng, args) =>
    piece(integer(8), forms('($0 - $1)', 'CAST($0 - $1 AS HUGEINT)'), args),
  ),
];
