/**
 * Writes all rows of an extraction in one answer as NDJSON, CSV or Arrow, the entity's ID first. Values are texts, as in
 * JSON; scores are integers and distances floats. NDJSON leaves out missing values, as in JSON; CSV and Arrow write them as
 * missing. CSV and Arrow contain lists, events and coordinates as JSON text.
 */
import { type RowFormat, rowEncoder, type StreamEncoder } from '../../answer/index.js';
import type { ExtractedRow } from '../../ir/index.js';
import { ENTITY_ID_COLUMN } from '../../schema/index.js';
import { type Field, type SqlType, type Value, vectorOf } from '../../vector/index.js';
import type { Extraction } from './extraction.js';
import { isOfJson, pointText, rowMembers, SCORE_FIELD } from './text.js';

/** A column of the answer and its values. */
interface RowField extends Field {
  readonly valueIn: (row: ExtractedRow) => Value;
}

/** The extraction and the encoder for an answer with all rows. */
export interface WholeExtraction<E extends Extraction> {
  readonly extraction: E;
  readonly encoder: StreamEncoder<ExtractedRow>;
}

/** Removes `entity-id` from the columns, because every row contains the ID anyway. */
export function wholeExtraction<E extends Extraction>(extraction: E, format: RowFormat): WholeExtraction<E> {
  const columns = extraction.columns.map(({ column }) => column.apiName !== ENTITY_ID_COLUMN);
  const withoutId = {
    ...extraction,
    columns: extraction.columns.filter((_, index) => columns[index]),
    plan: { ...extraction.plan, columns: extraction.plan.columns.filter((_, index) => columns[index]) },
  };
  return {
    extraction: withoutId,
    encoder: format === 'ndjson' ? lineEncoder(withoutId) : columnEncoder(withoutId, format),
  };
}

function lineEncoder(extraction: Extraction): StreamEncoder<ExtractedRow> {
  const nothing = new Uint8Array(0);
  return {
    format: 'ndjson',
    head: () => nothing,
    rows: (rows) => Buffer.from(rows.map((row) => lineOf(extraction, row)).join('')),
    tail: () => nothing,
  };
}

function lineOf(extraction: Extraction, row: ExtractedRow): string {
  const id = `"${ENTITY_ID_COLUMN}":${JSON.stringify(row.position.id)}`;
  return `{${[id, ...rowMembers(extraction, row)].join()}}\n`;
}

function columnEncoder(extraction: Extraction, format: RowFormat): StreamEncoder<ExtractedRow> {
  const fields = fieldsOf(extraction);
  const encoder = rowEncoder(format, fields);
  return {
    format,
    head: () => encoder.head(),
    rows(rows) {
      const columns = fields.map(({ type, valueIn }) => vectorOf(type, rows.map(valueIn)));
      return encoder.rows(columns, 0, rows.length, false);
    },
    tail: (rowCount) => encoder.tail(rowCount),
  };
}

const TEXT: SqlType = { type: 'text' };
const JSON_TEXT: SqlType = { type: 'json' };

function fieldsOf({ columns, near, plan }: Extraction): readonly RowField[] {
  const fields: RowField[] = [{ name: ENTITY_ID_COLUMN, type: TEXT, valueIn: ({ position }) => position.id }];
  columns.forEach((column, index) => {
    const type = isOfJson(column) ? JSON_TEXT : TEXT;
    fields.push({ name: column.column.apiName, type, valueIn: ({ values }) => values[index] });
  });
  if (plan.scored !== null) {
    const valueIn = ({ position }: ExtractedRow): Value => BigInt(position.score);
    fields.push({ name: SCORE_FIELD, type: { type: 'integer' }, valueIn });
  }
  if (near !== null) {
    const { apiName } = near.column;
    const distanceOf = ({ nearest, position }: ExtractedRow): Value =>
      nearest === null ? null : position.distanceKm;
    fields.push({ name: `${apiName}_distance`, type: { type: 'float' }, valueIn: distanceOf });
    if (near.showCoordinates) {
      const pointOf = ({ nearest }: ExtractedRow): Value => (nearest === null ? null : pointText(nearest));
      fields.push({ name: `${apiName}_coordinates`, type: JSON_TEXT, valueIn: pointOf });
    }
  }
  return fields;
}
