/**
 * The common form of all formats: named columns, and blocks of rows stored by column.
 * Invariants: a block has the columns of its source, in order; a returned block is never changed; rows are counted from 1,
 * without a header and including rows that cannot be read; the same bytes give the same rows.
 */
import type { Field, RecordBatch } from 'apache-arrow';
import type { ExactNumber } from '../../../api/index.js';
import type { ColumnType, Storage } from '../../../schema/index.js';
import type { TextBlocks } from '../text/text-block.js';
import type { EmptyTexts } from './empty-texts.js';

/** A value of a row as its format gives it; `undefined` and null = missing. */
export type SourceValue =
  | string
  | number
  | bigint
  | boolean
  | ExactNumber
  | null
  | undefined
  | readonly SourceValue[]
  | SourceObject;
/** An object of NDJSON. */
export interface SourceObject {
  readonly [name: string]: SourceValue;
}

/** The type of a column in a file's schema. */
export interface SourceType {
  readonly type: ColumnType;
  readonly storage: Storage;
  /** For decimals; null if the schema does not limit them, as for binary floating-point numbers. */
  readonly decimalPlaces: number | null;
}

export interface SourceColumn {
  readonly name: string;
  /** null = the type is known only from the values. */
  readonly schema: SourceType | null;
  /** The reason why it cannot be imported, such as "a struct"; null = it can. */
  readonly unfit: string | null;
}

/** The column type and the conversion for a type of a file's schema. */
export interface Leaf {
  readonly type: ColumnType;
  readonly decimalPlaces: number | null;
  /** Converts the package's value; null = no conversion. */
  readonly toValue: ((value: unknown) => SourceValue) | null;
}

/** A column of a file that has a schema. */
export interface TypedColumn extends SourceColumn {
  readonly toValue: Leaf['toValue'];
}

/** A row that could not be read. */
export interface BrokenRow {
  readonly row: number;
  readonly line: number;
  readonly reason: string;
  /** The text of the row, possibly truncated. */
  readonly text: string;
}

export interface RowBlock {
  readonly count: number;
  /** `count` values each; a column that was not requested may be empty. */
  readonly columns: readonly ArrayLike<SourceValue>[];
  readonly rowNumbers: ArrayLike<number>;
  /** The line on which each row begins, and the text of the row; null for formats without lines. */
  readonly lines: ArrayLike<number> | null;
  readonly texts: readonly string[] | null;
  readonly broken: readonly BrokenRow[];
}

/** Consecutive rows of a file. */
export interface FileBatch {
  readonly batch: RecordBatch;
  /** Number of its first row, from 1. */
  readonly firstRow: number;
}

/** A file whose rows can be read as columns. */
export interface BatchReader {
  readonly fields: readonly Field[];
  /**
   * The rows from `after` + 1 with the columns `names`, in batches of at most `rowsMax` rows. Batches after the first begin at the same
   * rows whatever `after` is.
   */
  batches(after: number, names: readonly string[], rowsMax: number): AsyncGenerator<FileBatch>;
}

export interface SourceText {
  /** That of CSV; null = NDJSON. */
  readonly delimiter: string | null;
  readonly blocks: TextBlocks;
  /** Records a member of NDJSON that no column has, and its line. */
  noteLate(name: string, line: number): void;
}

export interface RowSource {
  readonly columns: readonly SourceColumn[];
  /** Every value is a text, from which the type is guessed; other formats have typed values. */
  readonly isText: boolean;
  /** The texts that were empty by intent, as counted by the source; absent = every empty text of its blocks is one. */
  readonly empties?: EmptyTexts;
  /** null = not known before all rows are read. */
  readonly rowCount: number | null;
  /** The dimensions named by the first rows, if the rows are lines for POST /v1/insert; otherwise absent. */
  readonly lineDimensions?: readonly string[];
  /** Returns the rows from `skipRows` + 1; called once. `used` are the indexes of the requested columns. */
  blocks(skipRows: number, used: readonly number[]): AsyncGenerator<RowBlock>;
  /** Opens the file for reading columns; null = it cannot be read so. Absent for formats without columns. */
  readonly openBatches?: () => Promise<BatchReader | null>;
  /** The text of the rows, from which columns can be made; absent for binary formats. */
  readonly text?: SourceText;
  /** Notes for the user about the rows that were read. */
  notes(): readonly string[];
}

/** Maximum number of rows of a block. */
export const BLOCK_ROWS = 8_192;

/** An error that the user can correct: the message says what is wrong, where, and what to do. */
export class ImportError extends Error {}
