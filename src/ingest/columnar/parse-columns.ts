/**
 * Parses a part of an Arrow IPC stream into encoded batches or one error: its schema, its dictionaries and one record batch, whose
 * rows are entities by the mapping of the request. Several rows of one entity take effect one after the other.
 * Memory: a column's values are distributed to shards before those of the next are read; the batches have at most
 * RECORD_BYTES_MAX bytes.
 */
import { randomUUID } from 'node:crypto';
import { EVENT_SECONDS_MIN, quoted, type WireError } from '../../base/index.js';
import {
  columnNameOf,
  formatDateTime,
  isEventType,
  SECONDS_PER_DAY,
  valueKindOf,
} from '../../schema/index.js';
import type { BatchRange, ParseContext, ParsedInsert } from '../parse.js';
import { keyScopeOf, type LineKeyList, type LineKeySettings } from '../records/keyed-lines.js';
import type { RecordMapping } from '../records/mapping.js';
import type { IngestScratch } from '../scratch.js';
import { type ArrowArray, BatchReader } from './arrow-array.js';
import { ArrowError, arrowMessageAt, checked, dictionaryHeadOf } from './arrow-message.js';
import { type ArrowField, fieldsOfSchema } from './arrow-type.js';
import { BatchMemory } from './batch-memory.js';
import { type ColumnValues, hasValue, presentRows, RowRefused } from './column-values.js';
import { BodyRefused, type MappedColumn, type MappedFields, mapFields } from './map-fields.js';
import { FieldRefused, readColumn, readLists, readTexts } from './read-column.js';
import { eventSecondsOf } from './read-dates.js';
import { storedTexts, textsOfIntegers } from './read-texts.js';
import { rowKeysOf, withoutRows } from './row-keys.js';
import {
  type ColumnTarget,
  encodeIds,
  encodeSection,
  idHashes,
  rowsByShard,
  type ShardRows,
  setSectionCount,
} from './sections.js';

/** Rows of a record batch. From 30,000 to 130,000 rows are inserted fastest. */
export const ARROW_ROWS_MAX = 262_144;

/** Memory of a shard's batch that is kept for the next part. */
const POOLED_BYTES_MAX = 16 * 2 ** 20;

/** Limit of the batches and keys of a part, below that of a log record. */
const RECORD_BYTES_MAX = 63 * 2 ** 20;

/** The rows of a part. */
export interface PartRows {
  /** Number of the first row in the body, from 1. */
  readonly first: number;
  /** Keys of different databases differ. */
  readonly databaseId: number;
  /** If the mapping names a field of keys. */
  readonly keySettings: LineKeySettings;
}

export type ColumnsOutcome =
  | { readonly parsed: ParsedInsert; readonly keyed: LineKeyList | null }
  | { readonly error: WireError };

/**
 * Parses one part against one model. `bytes` is only read. Errors name the row, numbered from `first`, and the field. The result
 * is valid until the next parse with the same `scratch`.
 */
export function parseColumns(
  bytes: Uint8Array,
  partRows: PartRows,
  mapping: RecordMapping,
  context: ParseContext,
  scratch: IngestScratch,
): ColumnsOutcome {
  const isPooled = scratch.batchMemories.every(({ words }) => words.byteLength <= POOLED_BYTES_MAX);
  if (!isPooled) scratch.batchMemories.length = 0;
  try {
    const arrays = checked('the Arrow stream', () => readPart(bytes));
    const mapped = mapFields(arrays, mapping, context);
    const keyed = keyedOf(mapped, mapping, partRows);
    const omitted = new Set(keyed?.omitted);
    const keyBytes = keyed?.keys.length ?? 0;
    return { parsed: new PartParser(mapped, { arrays, omitted, keyBytes }, context, scratch).run(), keyed };
  } catch (thrown) {
    return { error: errorOf(thrown, partRows.first) };
  }
}

function keyedOf(
  { dedupe: field }: MappedFields,
  { dimension, dedupe }: RecordMapping,
  { databaseId, keySettings }: PartRows,
): LineKeyList | null {
  if (field === null) return null;
  const scope = keyScopeOf(databaseId, dimension, columnNameOf(dedupe ?? ''));
  return named(field, () => rowKeysOf(field, scope, keySettings));
}

function errorOf(thrown: unknown, first: number): WireError {
  if (thrown instanceof ArrowError) return { code: 1503, message: thrown.message };
  if (thrown instanceof BodyRefused) return { code: thrown.code, message: thrown.text };
  if (thrown instanceof NamedRefusal) {
    const { refusal, field } = thrown;
    if (refusal instanceof FieldRefused)
      return { code: 2007, message: `field ${quoted(field)}: ${refusal.text}` };
    const row = first + refusal.row;
    return {
      code: refusal.code,
      message: `row ${row}, field ${quoted(field)}: ${refusal.text}`,
      moreInfo: { row },
    };
  }
  throw thrown;
}

/** A refusal with the name of its field. */
class NamedRefusal {
  readonly field: string;
  readonly refusal: RowRefused | FieldRefused;

  constructor(field: string, refusal: RowRefused | FieldRefused) {
    this.field = field;
    this.refusal = refusal;
  }
}

function named<T>({ field: { name } }: ArrowArray, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof RowRefused || thrown instanceof FieldRefused) throw new NamedRefusal(name, thrown);
    throw thrown;
  }
}

/** The arrays of the record batch. Throws ArrowError. */
function readPart(bytes: Uint8Array): readonly ArrowArray[] {
  let fields: readonly ArrowField[] | null = null;
  const dictionaries = new Map<number, ArrowArray>();
  for (let at = 0; ; ) {
    const message = arrowMessageAt(bytes, at);
    if (message === null || message === 'end') throw new ArrowError('it has no record batch');
    const { kind, header, bodyAt, bodyBytes } = message;
    if (bodyAt + bodyBytes > bytes.length) throw new ArrowError('it ends inside a message');
    const body = bytes.subarray(bodyAt, bodyAt + bodyBytes);
    if (kind === 'schema') fields = fieldsOfSchema(header);
    else if (fields === null) throw new ArrowError('it does not begin with a schema');
    else if (kind === 'dictionary') {
      const { id, isDelta, values } = dictionaryHeadOf(header);
      if (isDelta) throw new ArrowError('it has deltas of dictionaries: write whole dictionaries');
      const field = dictionaryField(fields, id);
      if (field !== null) dictionaries.set(id, new BatchReader(values, body).field(field, dictionaries));
    } else {
      const reader = new BatchReader(header, body);
      return fields.map((field) => reader.field(field, dictionaries));
    }
    at = bodyAt + bodyBytes;
  }
}

/** The field of a dictionary's values; null = no field has that dictionary. */
function dictionaryField(fields: readonly ArrowField[], id: number): ArrowField | null {
  for (const field of fields) {
    if (field.dictionary?.id === id) return { ...field, dictionary: null };
    const within = dictionaryField(field.children, id);
    if (within !== null) return within;
  }
  return null;
}

interface PartContent {
  readonly arrays: readonly ArrowArray[];
  /** The rows that are left out. */
  readonly omitted: ReadonlySet<number>;
  /** Bytes of the keys in the log record. */
  readonly keyBytes: number;
}

class PartParser {
  readonly #mapped: MappedFields;
  readonly #arrays: readonly ArrowArray[];
  /** The rows that are left out. */
  readonly #omitted: ReadonlySet<number>;
  readonly #keyBytes: number;
  readonly #context: ParseContext;
  readonly #scratch: IngestScratch;
  readonly #nowSeconds: number;
  #valueCount = 0;
  /** By shard: its batch, and the number of its sections. */
  readonly #batches: readonly BatchMemory[];
  readonly #sectionCounts: number[];
  /** Rows that have some value; null = all. */
  #filled: Uint8Array | null;

  constructor(
    mapped: MappedFields,
    { arrays, omitted, keyBytes }: PartContent,
    context: ParseContext,
    scratch: IngestScratch,
  ) {
    this.#mapped = mapped;
    this.#arrays = arrays;
    this.#omitted = omitted;
    this.#keyBytes = keyBytes;
    this.#context = context;
    this.#scratch = scratch;
    this.#nowSeconds = Math.floor(context.nowMs / 1000);
    this.#filled = new Uint8Array(this.rowCount);
    const { batchMemories } = scratch;
    while (batchMemories.length < context.shardCount) batchMemories.push(new BatchMemory());
    this.#batches = batchMemories.slice(0, context.shardCount);
    this.#sectionCounts = this.#batches.map(() => 0);
  }

  get rowCount(): number {
    return this.#arrays[0]?.length ?? 0;
  }

  run(): ParsedInsert {
    const { shardCount } = this.#context;
    const { rowCount } = this;
    const mapped = this.#mapped;
    const { dimension } = mapped;
    const ids = this.#ids(mapped.id, dimension.textCase);
    const rows = withoutRows(rowsByShard(idHashes(ids, rowCount), shardCount), this.#omitted);
    this.#batches.forEach((batch, shard) => {
      encodeIds(dimension.id, ids, rows[shard], batch);
    });
    const relations = new Map(
      [...dimension.relations.values()].flatMap(({ id, columnIds }) =>
        columnIds.map((columnId) => [columnId, id]),
      ),
    );
    for (const column of mapped.columns) this.#add(column, relations.get(column.column.id) ?? 0, rows);
    const empty = rowCount === 0 ? -1 : (this.#filled?.indexOf(0) ?? -1);
    if (empty >= 0) {
      const field = mapped.id?.field.name ?? this.#arrays[0].field.name;
      throw new NamedRefusal(field, new RowRefused(empty, 2017, 'no other field of the row has a value'));
    }
    const encoded = this.#join(dimension.id, rows);
    const entityCount = rowCount - this.#omitted.size;
    return { entityCount, valueCount: this.#valueCount, ...encoded, ...mapped.created };
  }

  #ids(array: ArrowArray | null, textCase: 'fold' | 'preserve'): ColumnValues {
    const rules = { textCase, tooLong: [2008, 'the entity ID'] } as const;
    if (array === null) {
      const texts = Array.from({ length: this.rowCount }, () => randomUUID() as string);
      return storedTexts(textsOfIntegers(texts, null), rules);
    }
    return named(array, () => {
      const ids = readTexts(array, rules);
      const missing = ids.present?.indexOf(0) ?? -1;
      if (missing >= 0) throw new RowRefused(missing, 2003, 'the field of the ID has no value');
      return ids;
    });
  }

  #add(mapped: MappedColumn, relationId: number, rows: ShardRows): void {
    const target = named(mapped.field, () => this.#target(mapped, relationId));
    this.#fill(target.present);
    rows.forEach((own, shard) => {
      const section = encodeSection(target, own, this.#batches[shard]);
      if (section === null) return;
      this.#valueCount += section.valueCount;
      this.#sectionCounts[shard]++;
    });
    this.#checkSize();
  }

  #target({ column, field, dates }: MappedColumn, relationId: number): ColumnTarget {
    const kind = valueKindOf(column.type);
    const common = { columnId: column.id, kind, nowSeconds: this.#nowSeconds };
    if (isEventType(column.type)) {
      const { values, present } = readColumn(field, column);
      const seconds =
        dates === null ? null : named(dates, () => this.#dates(dates, present, column.retentionDays));
      return { ...common, form: 'event', relationId, values, present, offsets: null, dates: seconds };
    }
    if (column.storage === 'list-of-values') {
      const { items, offsets } = readLists(field, column);
      const present = offsets === null ? items.present : presentRows(field);
      return { ...common, form: 'list', relationId: 0, values: items.values, present, offsets, dates: null };
    }
    return {
      ...common,
      form: 'latest',
      relationId: 0,
      ...readColumn(field, column),
      offsets: null,
      dates: null,
    };
  }

  /** The dates of the events that `present` has. */
  #dates(array: ArrowArray, present: Uint8Array | null, retentionDays: number | null): Float64Array {
    const seconds = eventSecondsOf(array, present);
    if (seconds === null) throw new FieldRefused(array, 'a timestamp, a date or a text of one');
    const now = this.#nowSeconds;
    const oldest = retentionDays === null ? EVENT_SECONDS_MIN : now - retentionDays * SECONDS_PER_DAY;
    for (let row = 0; row < seconds.length; row++) {
      const date = seconds[row];
      const isRight = date >= oldest && date >= EVENT_SECONDS_MIN && date <= now;
      if (isRight || !hasValue(present, row) || this.#omitted.has(row)) continue;
      if (date < EVENT_SECONDS_MIN)
        throw new RowRefused(row, 2002, `${shownDate(date)} is older than 1990-01-01`);
      if (date > now) throw new RowRefused(row, 2006, `${shownDate(date)} is in the future`);
      const retention = `the ${retentionDays} days that the column keeps its events`;
      throw new RowRefused(row, 2001, `${shownDate(date)} is older than ${retention}`);
    }
    return seconds;
  }

  #fill(present: Uint8Array | null): void {
    const filled = this.#filled;
    if (present === null || filled === null) this.#filled = null;
    else for (let row = 0; row < filled.length; row++) filled[row] |= present[row];
  }

  get #byteCount(): number {
    return this.#batches.reduce((sum, { end }) => sum + end * 4, 0);
  }

  #checkSize(): void {
    if (this.#byteCount + this.#keyBytes <= RECORD_BYTES_MAX) return;
    const text = `the rows take more than ${RECORD_BYTES_MAX} bytes in the log: write smaller record batches`;
    throw new BodyRefused(1507, text);
  }

  /** Concatenates the batches of all shards that have rows. */
  #join(dimensionId: number, rows: ShardRows): { buffer: ArrayBufferLike; batches: BatchRange[] } {
    const scratch = this.#scratch;
    if (scratch.encoded.byteLength < this.#byteCount) scratch.encoded = new Int32Array(this.#byteCount >> 2);
    const batches: BatchRange[] = [];
    let at = 0;
    this.#batches.forEach((batch, shard) => {
      if (rows[shard].length === 0) return;
      setSectionCount(batch, this.#sectionCounts[shard]);
      scratch.encoded.set(batch.words.subarray(0, batch.end), at);
      batches.push({ shard, dimensionId, offset: at * 4, byteLength: batch.end * 4 });
      at += batch.end;
    });
    return { buffer: scratch.encoded.buffer, batches };
  }
}

/** Dates outside the calendar are shown as seconds. */
const shownDate = (seconds: number): string =>
  `the event's date ${Math.abs(seconds) < 2 ** 37 ? formatDateTime(seconds) : `${seconds} s`}`;
