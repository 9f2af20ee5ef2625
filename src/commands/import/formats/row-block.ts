/**
 * What every format becomes on its way in: named columns, and runs of rows that are held column by column.
 * Invariants: the columns of a block are those of its source, in order; a block is never changed once it was given;
 * rows are counted from 1, without a header, those that cannot be read included; the same bytes give the same rows.
 */
import type { ExactNumber } from '../../../api/index.js';
import type { ColumnType, Storage } from '../../../schema/index.js';

/** One value as its format holds it; `undefined` and null: there is none. */
export type Cell =
  | string
  | number
  | bigint
  | boolean
  | ExactNumber
  | null
  | undefined
  | readonly Cell[]
  | CellObject;
/** A record as NDJSON has them. */
export interface CellObject {
  readonly [name: string]: Cell;
}

/** What a schema says of a column's values. */
export interface SourceType {
  readonly type: ColumnType;
  readonly storage: Storage;
  /** Of decimals; null where the schema does not bound them, as of binary floating-point numbers. */
  readonly decimalPlaces: number | null;
}

export interface SourceColumn {
  readonly name: string;
  /** null: nothing is known but the values. */
  readonly schema: SourceType | null;
  /** Why no column can be made of it, such as "a struct"; null = one can. */
  readonly unfit: string | null;
}

/** What is made of values of a type that a file's schema names. */
export interface Leaf {
  readonly type: ColumnType;
  readonly decimalPlaces: number | null;
  /** From what the package gives; null = it is a cell already. */
  readonly cellOf: ((value: unknown) => Cell) | null;
}

/** A column of a file that has a schema. */
export interface TypedColumn extends SourceColumn {
  readonly cellOf: Leaf['cellOf'];
}

/** A row that could not even be read. */
export interface BrokenRow {
  readonly row: number;
  readonly line: number;
  readonly reason: string;
  /** As far as it is kept. */
  readonly text: string;
}

export interface RowBlock {
  readonly count: number;
  /** `count` values each; a column that is not wanted may be empty. */
  readonly columns: readonly ArrayLike<Cell>[];
  readonly rowNumbers: ArrayLike<number>;
  /** The line on which each row begins, and the row as it stands there; null where a format has no lines. */
  readonly lines: ArrayLike<number> | null;
  readonly texts: readonly string[] | null;
  readonly broken: readonly BrokenRow[];
}

export interface RowSource {
  readonly columns: readonly SourceColumn[];
  /** Every value is a text, of which the type is told; values of other formats are what they are. */
  readonly isText: boolean;
  /** null: not known before all are read. */
  readonly rowCount: number | null;
  /** Of lines as POST /v1/insert takes them: the dimensions that the first ones name. Absent = other rows. */
  readonly lineDimensions?: readonly string[];
  /** From row `skipRows` + 1 on; asked once. `used`: indexes of the columns whose values are wanted. */
  blocks(skipRows: number, used: readonly number[]): AsyncGenerator<RowBlock>;
  /** What a person should know who had the rows read. */
  notes(): readonly string[];
}

/** Rows of a block. */
export const BLOCK_ROWS = 8_192;

/** What a person who did not write the code can mend: the message says what is wrong, where, and what to do. */
export class ImportError extends Error {}
