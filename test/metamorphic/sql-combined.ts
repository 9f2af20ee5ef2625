/** Combines pieces of SQL: choices among values, and predicates; exact numbers are converted to one scale. */
import {
  BOOLEAN,
  decimal,
  forms,
  isExact,
  type Kind,
  type Piece,
  piece,
  scaledForms,
  wholeDigits,
} from '../support/sql/sql-piece.js';

/** The common type of the members, and the text of each in DuckDB and SQLite as that type. */
interface Unified {
  readonly of: Kind;
  readonly duck: readonly string[];
  readonly lite: readonly (string | null)[];
}

type Make = (texts: readonly string[]) => string;

/** Quarry finds the common scale itself; members that are not numbers have one type already. */
export function unified(members: readonly Piece[]): Unified {
  const [first] = members;
  const scale = Math.max(...members.map((member) => member.scale));
  const digits = isExact(first)
    ? Math.max(...members.map(wholeDigits)) + scale
    : Math.max(...members.map((member) => member.digits));
  const decimals = members.some(({ type }) => type === 'decimal');
  const tame = members.every((member) => member.tame);
  const of: Kind = { ...first, ...(decimals ? decimal(scale, digits) : { digits }), firm: true, tame };
  const both = members.map((member, index) =>
    isExact(member) ? scaledForms(`$${index}`, member, of) : { duck: `$${index}`, lite: `$${index}` },
  );
  return { of, duck: both.map(({ duck }) => duck), lite: both.map(({ lite }) => lite) };
}

const positions = (members: readonly unknown[]): string[] => members.map((_, index) => `$${index}`);

/** Applies `make` to the members; the result has their common kind, or `kind`. */
export function combined(members: readonly Piece[], make: Make, kind: Kind | null = null): Piece {
  const { of, duck, lite } = unified(members);
  const liteForm = lite.some((text) => text === null) ? null : make(lite as string[]);
  return piece(kind ?? of, forms(make(positions(members)), make(duck), liteForm), members);
}

/** NULLIF with the kind of its first argument; null if the kind would differ. */
export function nulled(a: Piece, b: Piece): Piece | null {
  const { of } = unified([a, b]);
  if (of.scale !== a.scale) return null;
  return combined([a, b], ([of, equals]) => `nullif(${of}, ${equals})`, { ...of, tame: a.tame });
}

/** SQLite has other names for these functions. */
export function extreme(name: 'GREATEST' | 'LEAST', members: readonly Piece[]): Piece {
  const made = combined(members, (texts) => `${name}(${texts.join(', ')})`);
  return { ...made, forms: { ...made.forms, lite: null } };
}

/** CASE WHEN ... THEN ... END, with ELSE if there are more values than conditions. */
export function cased(whens: readonly Piece[], values: readonly Piece[]): Piece {
  const { of, duck, lite } = unified(values);
  const make = (texts: readonly string[]): string => {
    const branches = whens.map((_, index) => `WHEN $${values.length + index} THEN ${texts[index]}`);
    const last = values.length === whens.length ? '' : ` ELSE ${texts[whens.length]}`;
    return `CASE ${branches.join(' ')}${last} END`;
  };
  const liteForm = lite.some((text) => text === null) ? null : make(lite as string[]);
  return piece(of, forms(make(positions(values)), make(duck), liteForm), [...values, ...whens]);
}

/** CASE x WHEN a THEN ... WHEN b THEN ... ELSE ... END, of x, a, b and three values. */
export function switched(compared: readonly Piece[], values: readonly Piece[]): Piece {
  const [left, right] = [unified(compared), unified(values)];
  const make = (x: readonly string[], y: readonly string[]): string =>
    `CASE ${x[0]} WHEN ${x[1]} THEN ${y[0]} WHEN ${x[2]} THEN ${y[1]} ELSE ${y[2]} END`;
  const moved = (texts: readonly string[]): string[] =>
    texts.map((text) => text.replace(/\$(\d)/g, (_, index) => `$${Number(index) + compared.length}`));
  const missing = [...left.lite, ...right.lite].some((text) => text === null);
  const lite = missing ? null : make(left.lite as string[], moved(right.lite as string[]));
  const quarry = make(positions(compared), moved(positions(values)));
  return piece(right.of, forms(quarry, make(left.duck, moved(right.duck)), lite), [...compared, ...values]);
}

export function comparison(operator: string, left: Piece, right: Piece): Piece {
  return combined([left, right], ([a, b]) => `(${a} ${operator} ${b})`, BOOLEAN);
}

/** `not`: 'NOT ' or nothing. */
export function between(members: readonly [Piece, Piece, Piece], not: string): Piece {
  return combined(members, ([of, low, high]) => `(${of} ${not}BETWEEN ${low} AND ${high})`, BOOLEAN);
}

/** `missing`: NULL is one of the values. */
export function inList(members: readonly Piece[], not: string, missing: boolean): Piece {
  const last = missing ? ', NULL' : '';
  return combined(members, ([of, ...values]) => `(${of} ${not}IN (${values.join(', ')}${last}))`, BOOLEAN);
}
