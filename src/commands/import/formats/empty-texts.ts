/** Counts empty texts, which Quarry does not store: the import names the columns in which they became NULL. */
import { DataType, type RecordBatch } from 'apache-arrow';
import { formatCount } from '../../progress.js';

export class EmptyTexts {
  readonly #counts = new Map<number, number>();

  /** Columns and how many empty texts each has. */
  get counts(): Iterable<readonly [column: number, count: number]> {
    return this.#counts;
  }

  clear(): void {
    this.#counts.clear();
  }

  /** `column` is the index of the file's column. */
  add(column: number, count: number): void {
    if (count > 0) this.#counts.set(column, (this.#counts.get(column) ?? 0) + count);
  }

  /** Counts those of a block of a format whose empty texts differ from missing values. */
  addBlock({ columns }: { readonly columns: readonly ArrayLike<unknown>[] }): void {
    columns.forEach((values, column) => {
      let count = 0;
      for (let row = 0; row < values.length; row++) if (values[row] === '') count++;
      this.add(column, count);
    });
  }

  /** Counts those of a batch; `names` are the columns of the file. */
  addBatch(batch: RecordBatch, names: readonly string[]): void {
    batch.schema.fields.forEach(({ name, type }, index) => {
      if (!DataType.isUtf8(type)) return;
      const { valueOffsets, length, nullCount } = batch.data.children[index];
      let count = 0;
      for (let row = 0; row < length; row++) {
        if (valueOffsets[row] !== valueOffsets[row + 1]) continue;
        if (nullCount === 0 || batch.data.children[index].getValid(row)) count++;
      }
      this.add(names.indexOf(name), count);
    });
  }

  /** A sentence for each of the columns `used` that has some. */
  notes(names: readonly string[], used: readonly number[]): readonly string[] {
    return used.flatMap((column) => {
      const count = this.#counts.get(column) ?? 0;
      if (count === 0) return [];
      const texts = count === 1 ? 'empty text was' : 'empty texts were';
      return [
        `column ${JSON.stringify(names[column])}: ${formatCount(count)} ${texts} imported as NULL, because Quarry stores none (--null '' says that it is meant so)`,
      ];
    });
  }
}
