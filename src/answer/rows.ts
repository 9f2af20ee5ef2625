/** The encoder of each format that an answer of rows can have. */
import type { Field } from '../vector/index.js';
import { arrowEncoder } from './arrow-rows.js';
import { csvEncoder } from './csv-rows.js';
import { jsonEncoder } from './json-rows.js';
import type { RowEncoder, RowFormat } from './row-encoder.js';

export function rowEncoder(format: RowFormat, fields: readonly Field[]): RowEncoder {
  switch (format) {
    case 'json':
    case 'ndjson':
      return jsonEncoder(fields, format === 'ndjson');
    case 'csv':
      return csvEncoder(fields);
    case 'arrow':
      return arrowEncoder(fields);
  }
}
