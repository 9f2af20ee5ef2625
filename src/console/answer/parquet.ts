/** Tables as Parquet. The library is loaded by the first download. */
import type { Json } from '../server/json.js';
import { cellText, type Table } from './table.js';

/** A column of one type; missing values are null. */
export interface ParquetColumn {
  readonly name: string;
  readonly type: 'INT64' | 'DOUBLE' | 'TIMESTAMP' | 'STRING';
  readonly data: readonly (bigint | number | Date | string | null)[];
}

/** The bytes of a file with the rows, compressed by Snappy. */
export async function parquetOf(table: Table, rows: Table['rows']): Promise<ArrayBuffer> {
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const columnData = parquetColumns(table, rows).map(({ name, type, data }) => ({
    ...{ name, type, data: [...data], nullable: true },
  }));
  return parquetWriteBuffer({ columnData });
}

/** Numbers that 64 bits hold are integers or doubles, times are timestamps in UTC, all others are texts with every digit. */
export function parquetColumns({ columns }: Table, rows: Table['rows']): ParquetColumn[] {
  return columns.map(({ title: name, kind }, at) => {
    const values = rows.map((row) => row[at]);
    const column = (
      type: ParquetColumn['type'],
      convert: (value: Json) => ParquetColumn['data'][number],
    ) => ({
      ...{ name, type, data: values.map((value) => (value === null ? null : convert(value))) },
    });
    const all = (test: (value: Json) => boolean): boolean =>
      values.some((value) => value !== null) && values.every((value) => value === null || test(value));
    if (all(isInteger)) return column('INT64', (value) => BigInt(String(value)));
    if (all((value) => typeof value === 'number')) return column('DOUBLE', Number);
    if (kind === 'moment' && all(isInstant)) return column('TIMESTAMP', (value) => new Date(String(value)));
    return column('STRING', cellText);
  });
}

const INT64_MAX = 2n ** 63n - 1n;

const isInteger = (value: Json): boolean => {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return typeof value === 'bigint' && value <= INT64_MAX && value >= -INT64_MAX - 1n;
};

/** Whether milliseconds hold the time. */
const isInstant = (value: Json): boolean =>
  typeof value === 'string' && !/\.\d{4,}/.test(value) && !Number.isNaN(Date.parse(value));
