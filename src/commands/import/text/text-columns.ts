/**
 * Rows of a text -> the body of an insert as columns, and the bad rows.
 * Invariant: a row of an unusual form, or with a value that does not fit, is read by the rules of rows (send/row-converter.ts), so
 * that both ways store the same and give the same reasons. A body depends only on the block and the plan.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { type Data, makeVector } from 'apache-arrow';
import { TEXT_POINTS_MAX } from '../../../base/index.js';
import { baseTypeOf, ENTITY_ID_COLUMN } from '../../../schema/index.js';
import { streamOf } from '../columns/column-plan.js';
import { type HashArrays, IdHashes } from '../columns/id-hashes.js';
import { csvFormat } from '../formats/csv.js';
import { EmptyTexts } from '../formats/empty-texts.js';
import { ndjsonFormat } from '../formats/ndjson.js';
import type { SourceObject } from '../formats/row-block.js';
import { blocksOfText, type RowFormat } from '../formats/text-rows.js';
import { type Target, usedColumns } from '../mapping/mapping.js';
import { PLAIN_READING } from '../mapping/text-reading.js';
import { valueWriter } from '../mapping/values.js';
import {
  AUTO_CREATE,
  type BadRow,
  type BodyRow,
  DATE_HEAD,
  RowConverter,
  VALUE_HEAD,
} from '../send/row-converter.js';
import { type ColumnBuilder, MISSING, type Outcome, REFUSED, STORED } from './column-builder.js';
import { CsvRow } from './csv-row.js';
import { BooleanBuilder, DateBuilder, TimeBuilder } from './date-builders.js';
import { JsonRow } from './json-row.js';
import { DecimalBuilder, IntegerBuilder } from './number-builders.js';
import {
  ESCAPED,
  FALSE,
  NUMBER,
  type RowFields,
  type RowReader,
  TEXT,
  TRUE,
  UNESCAPED,
} from './row-fields.js';
import { BOUNDS, type TextBlock, textOfBytes } from './text-block.js';
import { TextBuilder } from './text-builder.js';
import type { TextPlan } from './text-plan.js';

export interface ColumnsOfText {
  /** null = no row is left, or a value needs a body of rows. */
  readonly body: Uint8Array<ArrayBuffer> | null;
  /** Whether there are rows that must be sent as rows. */
  readonly mustSendRows: boolean;
  /** Rows that are not bad. */
  readonly rowCount: number;
  readonly entityCount: number;
  readonly bad: readonly BadRow[];
  /** A hash of the body, or of the text if there is none. */
  readonly digest: Uint8Array;
  /** null = IDs are made of row numbers. */
  readonly ids: HashArrays | null;
  readonly empties: readonly (readonly [column: number, count: number])[];
  /** Members of NDJSON that no column has, and their first lines. */
  readonly late: readonly (readonly [name: string, line: number])[];
}

/** The format in which the rows of a plan are read one by one. */
export function rowFormatOf(
  { delimiter, names, mapping }: TextPlan,
  empties: EmptyTexts,
  late: (name: string, line: number) => void,
): RowFormat<readonly string[]> | RowFormat<SourceObject> {
  const used = usedColumns(mapping);
  return delimiter === null ? ndjsonFormat(names, used, late) : csvFormat(delimiter, names, used, empties);
}

interface Slot {
  readonly source: number;
  readonly values: ColumnBuilder;
  readonly date: number;
  readonly dates: ColumnBuilder | null;
}

export class TextColumns {
  readonly #plan: TextPlan;
  readonly #reader: RowReader;
  /** The builders, for at most `rowsMax` rows. */
  #rowsMax = 0;
  #slots: readonly Slot[] = [];
  #ids = newIds(0);
  readonly #idText = new Uint8Array(2 ** 16);
  readonly #converter: RowConverter;
  /** Of the prefix of IDs made of row numbers, at the beginning of `idText`. */
  readonly #rowNameBytes: number;
  readonly #format: RowFormat<unknown>;
  readonly #empties = new EmptyTexts();
  readonly #late = new Map<string, number>();
  #bad: BadRow[] = [];
  #mustSendRows = false;

  constructor(plan: TextPlan) {
    const { mapping, names, delimiter, rowName } = plan;
    this.#plan = plan;
    this.#reader =
      delimiter === null ? new JsonRow(names) : new CsvRow(delimiter.charCodeAt(0), names.length);
    this.#converter = new RowConverter(mapping, names, rowName);
    this.#format = rowFormatOf(plan, this.#empties, (name, line) => {
      if (!this.#late.has(name)) this.#late.set(name, line);
    }) as RowFormat<unknown>;
    this.#rowNameBytes = Buffer.from(`${rowName}:`).copy(this.#idText);
  }

  /** Rows [from, to) of a block. */
  read(block: TextBlock, from: number, to: number): ColumnsOfText {
    if (to - from > this.#rowsMax) this.#makeBuilders(2 ** Math.ceil(Math.log2(to - from)));
    const { bytes, bounds } = block;
    const text =
      from === to ? bytes.subarray(0, 0) : bytes.subarray(bounds[from * BOUNDS], bounds[to * BOUNDS - 2]);
    for (const { values, dates } of this.#slots) for (const builder of [values, dates]) builder?.begin();
    this.#ids.begin();
    this.#empties.clear();
    this.#late.clear();
    this.#bad = [];
    this.#mustSendRows = false;
    return this.#result(this.#readRows(block, from, to, isUtf8(text)), text);
  }

  #makeBuilders(rowsMax: number): void {
    this.#rowsMax = rowsMax;
    this.#slots = this.#plan.mapping.targets.map((target, index) => slotOf(target, index, rowsMax));
    this.#ids = newIds(rowsMax);
  }

  /** Returns the number of rows that are not bad. */
  #readRows(block: TextBlock, from: number, to: number, isValid: boolean): number {
    const { bytes, bounds, broken } = block;
    const { fields } = this.#reader;
    let nextBroken = Math.max(
      0,
      broken.findIndex(({ index }) => index >= from),
    );
    let row = 0;
    for (let index = from; index < to; index++) {
      const isBroken = broken[nextBroken]?.index === index;
      if (isBroken) nextBroken++;
      const start = bounds[index * BOUNDS];
      const end = bounds[index * BOUNDS + 1];
      const isUsual = !isBroken && (isValid || isUtf8(bytes.subarray(start, end)));
      const isRead = isUsual && this.#reader.read(bytes, start, end);
      if (isRead && this.#store(row, bytes, block.firstRow + index)) {
        for (const column of fields.emptyAt) this.#empties.add(column, 1);
        row++;
      } else if (this.#storeByRules(row, block, index)) row++;
    }
    return row;
  }

  /** Returns false if the row must be read by the rules of rows. */
  #store(row: number, bytes: Uint8Array, number: number): boolean {
    const { fields } = this.#reader;
    if (!this.#storeId(row, bytes, number)) return false;
    let isEmpty = true;
    for (const { source, values, date, dates } of this.#slots) {
      const outcome = storeField(values, row, bytes, fields, source);
      if (outcome === REFUSED) return false;
      if (outcome === STORED) isEmpty = false;
      if (dates === null) continue;
      if (outcome === MISSING) dates.missing(row);
      else if (storeField(dates, row, bytes, fields, date) !== STORED) return false;
    }
    return !isEmpty;
  }

  #storeId(row: number, bytes: Uint8Array, number: number): boolean {
    const { id } = this.#plan.mapping;
    if (id === null) {
      let at = this.#rowNameBytes;
      for (const digit of String(number)) this.#idText[at++] = digit.charCodeAt(0);
      return this.#ids.add(row, this.#idText, 0, at);
    }
    const { kinds, from, to, unescaped } = this.#reader.fields;
    if (id.length === 1) {
      const [column] = id;
      const source = kinds[column] === UNESCAPED ? unescaped : bytes;
      return isText(kinds[column]) && this.#addId(row, source, from[column], to[column]);
    }
    let end = 0;
    for (const column of id) {
      const size = to[column] - from[column];
      if (!isText(kinds[column]) || size === 0 || size > TEXT_POINTS_MAX) return false;
      if (end > 0) this.#idText[end++] = DASH;
      if (end + size > this.#idText.length) return false;
      const source = kinds[column] === UNESCAPED ? unescaped : bytes;
      this.#idText.set(source.subarray(from[column], to[column]), end);
      end += size;
    }
    return this.#addId(row, this.#idText, 0, end);
  }

  /** IDs that may be invalid are left to the rules of rows. */
  #addId(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    const size = to - from;
    if (
      size === 0 ||
      (size === AUTO_CREATE_BYTES.length && AUTO_CREATE_BYTES.equals(bytes.subarray(from, to)))
    )
      return false;
    return this.#ids.add(row, bytes, from, to);
  }

  /** Returns false if the row is bad. */
  #storeByRules(row: number, block: TextBlock, index: number): boolean {
    for (const one of blocksOfText(block, this.#format, index, index + 1)) {
      if (one.count === 0) this.#bad.push(...one.broken);
      else {
        if (this.#plan.delimiter === null) this.#empties.addBlock(one);
        const converted = this.#converter.convert(one, 0);
        if ('reason' in converted) this.#bad.push(converted);
        else {
          this.#storeConverted(row, converted);
          return true;
        }
      }
    }
    return false;
  }

  #storeConverted(row: number, { id, pieces, rests }: BodyRow): void {
    this.#ids.json(row, JSON.stringify(id));
    this.#slots.forEach(({ values, dates }, target) => {
      const piece = pieces[target];
      if (piece === null) {
        values.missing(row);
        dates?.missing(row);
        return;
      }
      const isStored =
        dates === null
          ? values.json(row, piece)
          : values.json(row, piece.slice(VALUE_HEAD.length)) &&
            dates.json(row, rests[target].slice(DATE_HEAD.length, -1));
      if (!isStored) this.#mustSendRows = true;
    });
  }

  #result(rowCount: number, text: Uint8Array): ColumnsOfText {
    const isSent = rowCount > 0 && !this.#mustSendRows;
    const ids = this.#ids.finish(rowCount);
    const body = isSent ? this.#body(ids, rowCount) : null;
    const hashes =
      rowCount === 0 || this.#plan.mapping.id === null
        ? null
        : IdHashes.of(makeVector(ids), this.#plan.mapping.idCase);
    return {
      body,
      mustSendRows: this.#mustSendRows,
      rowCount,
      entityCount: hashes?.distinctCount ?? rowCount,
      bad: this.#bad,
      digest: createHash('sha256')
        .update(body ?? text)
        .digest(),
      ids: hashes?.arrays ?? null,
      empties: [...this.#empties.counts],
      late: [...this.#late],
    };
  }

  #body(ids: Data, rowCount: number): Uint8Array<ArrayBuffer> {
    const names = [ENTITY_ID_COLUMN];
    const children = [ids];
    this.#plan.mapping.targets.forEach(({ column }, target) => {
      const { values, dates } = this.#slots[target];
      names.push(column);
      children.push(values.finish(rowCount));
      const field = this.#plan.dateFields[target];
      if (dates === null || field === null) return;
      names.push(field);
      children.push(dates.finish(rowCount));
    });
    return streamOf(names, children, rowCount) as Uint8Array<ArrayBuffer>;
  }
}

const newIds = (rowsMax: number): TextBuilder => new TextBuilder(rowsMax, () => null, new Set(), null);

const DASH = 0x2d;
const AUTO_CREATE_BYTES = Buffer.from(AUTO_CREATE);

const isText = (kind: number): boolean => kind === TEXT || kind === UNESCAPED;

function storeField(
  builder: ColumnBuilder,
  row: number,
  bytes: Uint8Array,
  { kinds, from, to, unescaped }: RowFields,
  column: number,
): Outcome {
  switch (kinds[column]) {
    case TEXT:
      return builder.text(row, bytes, from[column], to[column]);
    case UNESCAPED:
      return builder.text(row, unescaped, from[column], to[column]);
    case NUMBER:
      return builder.number(row, bytes, from[column], to[column]);
    case ESCAPED:
      return builder.value(row, JSON.parse(textOfBytes(bytes, from[column], to[column])) as string);
    case TRUE:
    case FALSE:
      return builder.value(row, kinds[column] === TRUE);
    default:
      return builder.missing(row);
  }
}

function slotOf({ source, date, form }: Target, index: number, rowsMax: number): Slot {
  const { type, nulls, roundedTo, reading = PLAIN_READING } = form;
  const write = valueWriter(form);
  const isOfPoints = reading.decimal === '.';
  const isIso = reading.dateFormats.length === 0;
  const make = (): ColumnBuilder => {
    switch (baseTypeOf(type)) {
      case 'integer':
        return new IntegerBuilder(rowsMax, write, nulls, isOfPoints);
      case 'decimal':
        return new DecimalBuilder(rowsMax, write, nulls, { roundedTo, isPlain: isOfPoints });
      case 'boolean':
        return new BooleanBuilder(rowsMax, write, nulls);
      case 'date':
        return new DateBuilder(rowsMax, write, nulls, isIso);
      case 'datetime':
        return new TimeBuilder(rowsMax, write, nulls, isIso);
      default:
        return new TextBuilder(rowsMax, write, nulls, index);
    }
  };
  const dates =
    date === null ? null : new TimeBuilder(rowsMax, valueWriter({ ...form, type: 'datetime' }), nulls, isIso);
  return { source, values: make(), date: date ?? 0, dates };
}
