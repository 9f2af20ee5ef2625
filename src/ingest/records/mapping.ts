/**
 * How flat records, as log shippers and webhooks send them, become entities and events. The rules: docs/records.md.
 */

/** The ID of a record's entity: a field; a new random ID per record; or the hash of the record's bytes. */
export type RecordId =
  | { readonly from: 'field'; readonly field: string }
  | { readonly from: 'uuid' }
  | { readonly from: 'hash' };

/** A field whose value is an event. */
export interface RecordEvent {
  readonly column: string;
  readonly field: string;
  /** The field of the event's date; null = `time` of the mapping, or the time of the request without one. */
  readonly dateField: string | null;
}

export type UnknownFields = 'refuse' | 'ignore' | 'create';

export interface RecordMapping {
  /** Lines of JSON objects, lines of CSV whose first one has the names, or the rows of an Arrow stream. */
  readonly format: 'json' | 'csv' | 'arrow';
  /** Separates the values of a CSV line: one ASCII character. */
  readonly delimiter: string;
  /** null = the default dimension. */
  readonly dimension: string | null;
  readonly id: RecordId;
  readonly events: readonly RecordEvent[];
  /**
   * The column of an event of which the fields of that name, or with it and a dash in front, are columns: each is an event with
   * the date `time`. null = no fields are.
   */
  readonly eventFields: string | null;
  /** The field with the time of a record. */
  readonly time: string | null;
  /** The field by which a record that is sent again is recognized. Absent or null = none. */
  readonly dedupe?: string | null;
  /** What is done with a field that no column of the dimension has. */
  readonly unknown: UnknownFields;
  /** Whether a column is created if it does not exist, and the dimension. */
  readonly createsColumns: boolean;
  readonly createsDimension: boolean;
}
