/** The encoder of each format that an answer of rows can have. */
import type { Field } from '../vector/index.js';
import { arrowEncoder } from './arrow-rows.js';
import { csvEncoder } from './csv-rows.js';
import { jsonEncoder } from './json-rows.js';
import { postgresEncoder } from './postgres-rows.js';
import { freshRoom, type Room } from './room.js';
import type { RowEncoder, RowFormat } from './row-encoder.js';

/** `room`: for parts of rows. */
export function rowEncoder(format: RowFormat, fields: readonly Field[], room: Room = freshRoom): RowEncoder {
  switch (format) {
    case 'json':
    case 'ndjson':
      return jsonEncoder(fields, format === 'ndjson', room);
    case 'csv':
      return csvEncoder(fields, room);
    case 'arrow':
      return arrowEncoder(fields, room);
    case 'postgres':
      return postgresEncoder(fields, room);
  }
}
