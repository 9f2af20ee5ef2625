/**
 * Aggregates of generated SQL. DuckDB's own AVG and STDDEV compute with doubles. Here they are computed from exact sums
 * (macros `mean` and `spread`, see sql-engines.ts) and rounded once, as in Quarry.
 */
import type { Prng } from '../../src/base/index.js';
import {
  duckType,
  float,
  forms,
  integer,
  isExact,
  type Kind,
  type Piece,
  piece,
  wholeDigits,
} from '../support/sql/sql-piece.js';

/** The source of the values in DuckDB: the group's rows, or a list column of the group. */
export interface Feed {
  /** A list expression in $0; null = the rows. */
  readonly list: ((of: string) => string) | null;
}

export const ROWS: Feed = { list: null };

interface Aggregated {
  sum(of: string): string;
  count(of: string): string;
  distinct(of: string): string;
  extreme(name: string, of: string): string;
  quantile(of: string, fraction: number): string;
}

const PLAIN: Aggregated = {
  sum: (of) => `sum(${of})`,
  count: (of) => `CAST(count(${of}) AS HUGEINT)`,
  distinct: (of) => `CAST(count(DISTINCT ${of}) AS HUGEINT)`,
  extreme: (name, of) => `${name}(${of})`,
  quantile: (of, fraction) => `quantile_cont(CAST(${of} AS DOUBLE), ${fraction})`,
};

function listed(list: (of: string) => string): Aggregated {
  return {
    sum: (of) => `list_aggregate(${list(of)}, 'sum')`,
    count: (of) => `CAST(coalesce(len(list_filter(${list(of)}, lambda y: y IS NOT NULL)), 0) AS HUGEINT)`,
    distinct: (of) => `CAST(coalesce(len(list_distinct(${list(of)})), 0) AS HUGEINT)`,
    extreme: (name, of) => `list_aggregate(${list(of)}, '${name}')`,
    quantile: (of, fraction) =>
      `list_aggregate(list_transform(${list(of)}, lambda y: CAST(y AS DOUBLE)), 'quantile_cont', ${fraction})`,
  };
}

export const COUNT_ROWS: Piece = piece(
  integer(6),
  forms('COUNT(*)', 'CAST(count(*) AS HUGEINT)', 'count(*)'),
);

/** An aggregate over the values of `of`; null if there is none for the kind. */
export function aggregateOf(prng: Prng, of: Piece, feed: Feed = ROWS): Piece | null {
  const by = feed.list === null ? PLAIN : listed(feed.list);
  const lite = (form: string): string | null => (feed.list === null ? form : null);
  const made = (kind: Kind, quarry: string, duck: string, other: string | null = null): Piece =>
    piece(kind, forms(quarry, duck, other), [of]);
  const name = prng.pick([
    'COUNT',
    'COUNT DISTINCT',
    'SUM',
    'AVG',
    'MIN',
    'MAX',
    'STDDEV',
    'PERCENTILE',
    'SUM DISTINCT',
  ]);
  switch (name) {
    case 'COUNT':
      return made(integer(6), 'COUNT($0)', by.count('$0'), lite('count($0)'));
    case 'COUNT DISTINCT':
      return of.firm
        ? made(integer(6), 'COUNT(DISTINCT $0)', by.distinct('$0'), lite('count(DISTINCT $0)'))
        : null;
    case 'MIN':
    case 'MAX': {
      const form = `${name}($0)`;
      return of.firm && (of.type !== 'text' || of.tame)
        ? made(of, form, by.extreme(name.toLowerCase(), '$0'), lite(form.toLowerCase()))
        : null;
    }
    case 'SUM':
    case 'SUM DISTINCT': {
      if (name === 'SUM DISTINCT' && feed.list !== null) return null;
      const distinct = name === 'SUM' ? '' : 'DISTINCT ';
      if (!of.firm && distinct !== '') return null;
      if (of.type === 'float')
        return of.digits > 12
          ? null
          : made(float(of.digits + 4, false), `SUM(${distinct}$0)`, by.sum(`${distinct}$0`));
      if (!isExact(of) || of.digits > 24) return null;
      const kind = { ...of, digits: of.digits + 4 };
      const small = of.digits <= 14 ? lite(`sum(${distinct}$0)`) : null;
      return made(kind, `SUM(${distinct}$0)`, `CAST(${by.sum(`${distinct}$0`)} AS ${duckType(of)})`, small);
    }
    case 'AVG': {
      if (of.type === 'float')
        return of.digits > 12
          ? null
          : made(float(of.digits, false), 'AVG($0)', `${by.sum('$0')} / ${by.count('$0')}`);
      if (!isExact(of) || of.digits > 24) return null;
      const kind = float(wholeDigits(of), wholeDigits(of) <= 9);
      const distinct = feed.list === null && prng.chance(0.2);
      const [sum, count] = distinct
        ? [by.sum('DISTINCT $0'), by.distinct('$0')]
        : [by.sum('$0'), by.count('$0')];
      return made(
        kind,
        `AVG(${distinct ? 'DISTINCT ' : ''}$0)`,
        `mean(units_of(${sum}), ${count}, ${of.scale})`,
      );
    }
    case 'STDDEV': {
      if (!isExact(of) || of.digits > 15) return null;
      const units = of.type === 'decimal' ? 'units_of($0)' : '$0';
      const sums = `${by.sum(units)}, ${by.sum(`${units} * ${units}`)}`;
      const duck = `spread(${by.count('$0')}, ${sums}, ${of.scale})`;
      return made(float(wholeDigits(of), false), 'STDDEV($0)', duck);
    }
    default: {
      if ((!isExact(of) && of.type !== 'float') || of.digits > 9 || !of.firm) return null;
      const fraction = prng.pick([0.5, 0, 1, 0.95, 0.25, 0.1]);
      const quarry =
        fraction === 0.5 ? prng.pick(['MEDIAN($0)', 'PERCENTILE($0, 0.5)']) : `PERCENTILE($0, ${fraction})`;
      return made(float(wholeDigits(of), false), quarry, by.quantile('$0', fraction));
    }
  }
}
