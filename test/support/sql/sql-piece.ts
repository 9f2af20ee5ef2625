/**
 * A piece of SQL that is printed for three engines at once: in Quarry's dialect, in DuckDB's and, if the meaning is the
 * same, in SQLite's. Pieces are trees, so that a statement that shows a difference can be reduced.
 */

/** The form for SQLite; null if it has another meaning there. Decimals are integers in units of their last place. */
export interface Printed {
  readonly quarry: string;
  readonly duck: string;
  readonly lite: string | null;
}

export type PieceType = 'integer' | 'decimal' | 'float' | 'text' | 'boolean' | 'date' | 'datetime' | 'json';

/** Properties of all values of a piece. */
export interface Kind {
  readonly type: PieceType;
  /** Number of decimal places; only for decimals. */
  readonly scale: number;
  /** Maximum number of decimal digits: of exact numbers in units of their last place, of floats before the point. */
  readonly digits: number;
  /**
   * Whether all engines compute it exactly alike, so that it may be compared and grouped; otherwise it is only
   * selected.
   */
  readonly firm: boolean;
  /** For texts: no upper-case letters. For dates: near 2000, so that intervals can be added to them. */
  readonly tame: boolean;
}

export interface Piece extends Kind {
  /** Texts in which $0, $1, ... are replaced with the parts. */
  readonly forms: Printed;
  readonly parts: readonly Piece[];
}

const kind = (type: PieceType, more: Partial<Kind> = {}): Kind => ({
  ...{ type, scale: 0, digits: 0, firm: true, tame: true },
  ...more,
});

export const BOOLEAN: Kind = kind('boolean');
export const DATE: Kind = kind('date');
export const DATETIME: Kind = kind('datetime');
export const JSON_TEXT: Kind = kind('json');
export const TEXT: Kind = kind('text');
export const integer = (digits: number): Kind => kind('integer', { digits });
export const decimal = (scale: number, digits: number): Kind => kind('decimal', { scale, digits });
export const float = (digits: number, firm = true): Kind => kind('float', { digits, firm });

/** The same text for all engines; with `lite` false, not available in SQLite. */
export function same(text: string, lite = true): Printed {
  return { quarry: text, duck: text, lite: lite ? text : null };
}

/** Without `lite` the form is not available in SQLite. */
export function forms(quarry: string, duck: string, lite: string | null = null): Printed {
  return { quarry, duck, lite };
}

/** The piece is `firm` only if all parts are. */
export function piece(of: Kind, printed: Printed, parts: readonly Piece[] = []): Piece {
  const { type, scale, digits, tame } = of;
  return {
    type,
    scale,
    digits,
    tame,
    firm: of.firm && parts.every(({ firm }) => firm),
    forms: printed,
    parts,
  };
}

const filled = (form: string, parts: readonly string[]): string =>
  parts.length === 0 ? form : form.replace(/\$(\d)/g, (_, index) => parts[Number(index)]);

export function print({ forms: form, parts }: Piece): Printed {
  const printed = parts.map(print);
  const lites = printed.map(({ lite }) => lite);
  const lite = form.lite === null || lites.some((part) => part === null) ? null : form.lite;
  return {
    quarry: filled(
      form.quarry,
      printed.map(({ quarry }) => quarry),
    ),
    duck: filled(
      form.duck,
      printed.map(({ duck }) => duck),
    ),
    lite: lite === null ? null : filled(lite, lites as string[]),
  };
}

export const isExact = ({ type }: Kind): boolean => type === 'integer' || type === 'decimal';
export const isDate = ({ type }: Kind): boolean => type === 'date' || type === 'datetime';

/** Digits before the point. */
export const wholeDigits = ({ type, digits, scale }: Kind): number =>
  type === 'float' ? digits : Math.max(1, digits - scale);

export function duckType({ type, scale }: Kind): string {
  switch (type) {
    case 'integer':
      return 'HUGEINT';
    case 'decimal':
      return `DECIMAL(38, ${scale})`;
    case 'float':
      return 'DOUBLE';
    case 'boolean':
      return 'BOOLEAN';
    case 'date':
      return 'DATE';
    case 'datetime':
      return 'TIMESTAMP';
    default:
      return 'VARCHAR';
  }
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Digits of an exact number in stored form. */
export function unitsText(units: bigint, scale: number): string {
  if (scale === 0) return String(units);
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** An exact piece in a larger scale, as other engines require it next to another piece. Quarry converts implicitly. */
export function scaledForms(form: string, from: Kind, to: Kind): { duck: string; lite: string | null } {
  const factor = 10n ** BigInt(to.scale - from.scale);
  const fits = from.digits + to.scale - from.scale <= 18;
  const duck = from.type === to.type && from.scale === to.scale ? form : `CAST(${form} AS ${duckType(to)})`;
  return { duck, lite: fits ? (factor === 1n ? form : `(${form} * ${factor})`) : null };
}
