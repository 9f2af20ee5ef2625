/** Creates the encoder of a row format. */
import type { Field } from '../vector/index.js';
import { type Allocator, allocateFresh } from './allocator.js';
import { arrowEncoder } from './arrow-rows.js';
import { csvEncoder } from './csv-rows.js';
import { jsonEncoder } from './json-rows.js';
import { postgresEncoder } from './postgres-rows.js';
import type { RowEncoder, RowFormat } from './row-encoder.js';

/** `allocate` provides the memory of the encoded parts. */
export function rowEncoder(
  format: RowFormat,
  fields: readonly Field[],
  allocate: Allocator = allocateFresh,
): RowEncoder {
  switch (format) {
    case 'json':
    case 'ndjson':
      return jsonEncoder(fields, format === 'ndjson', allocate);
    case 'csv':
      return csvEncoder(fields, allocate);
    case 'arrow':
      return arrowEncoder(fields, allocate);
    case 'postgres':
      return postgresEncoder(fields, allocate);
  }
}
