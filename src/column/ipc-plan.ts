/**
 * Plans a snapshot file: converts columns to a schema and to the uncompressed buffers of its messages, in the format's order.
 * Only decimals (widened) and points of columns with missing values are copied.
 */
import { MetadataVersion, TimeUnit } from 'apache-arrow/enum';
import { FieldNode } from 'apache-arrow/ipc/metadata/message';
import { Field, Schema } from 'apache-arrow/schema';
import {
  Bool,
  type DataType,
  DateDay,
  Decimal,
  Dictionary,
  FixedSizeList,
  Float64,
  Int32,
  Int64,
  List,
  Timestamp,
  Uint8,
  Uint16,
  Uint32,
  Utf8,
} from 'apache-arrow/type';
import { invariant } from '../base/index.js';
import type { ArrowColumn, ArrowTable, ArrowValues, Utf8Values } from './arrow-column.js';
import { widenDecimals } from './ipc-decimal.js';

type View = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** The contents of a message body: one node per field and the bytes of the buffers, in the format's order. */
export interface Body {
  readonly rowCount: number;
  readonly nodes: FieldNode[];
  readonly buffers: Uint8Array[];
}

export interface DictionaryBody extends Body {
  readonly id: number;
}

/** A file whose buffers are not compressed yet. */
export interface FilePlan {
  readonly schema: Schema;
  /** Dictionaries in the order of their ids, then the rows. */
  readonly dictionaries: readonly DictionaryBody[];
  readonly rows: Body;
}

const EMPTY = new Uint8Array(0);

const bytesOf = (view: View): Uint8Array => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

/** Counts the clear bits among the first `count` bits of a bitmap. */
function clearBits(bitmap: Uint8Array, count: number): number {
  let set = 0;
  for (let at = 0; at < count >> 3; at++) {
    let byte = bitmap[at];
    byte -= (byte >> 1) & 0x55;
    byte = (byte & 0x33) + ((byte >> 2) & 0x33);
    set += (byte + (byte >> 4)) & 0x0f;
  }
  for (let bit = count & ~7; bit < count; bit++) set += (bitmap[bit >> 3] >> (bit & 7)) & 1;
  return count - set;
}

class Planner {
  readonly dictionaries: DictionaryBody[] = [];
  readonly rows: Body;

  constructor(rowCount: number) {
    this.rows = { rowCount, nodes: [], buffers: [] };
  }

  field(column: ArrowColumn): Field {
    const nulls = column.validity === null ? 0 : clearBits(column.validity, this.rows.rowCount);
    const validity = nulls === 0 ? null : column.validity;
    const type = this.#values(column, column.name, this.rows.rowCount, nulls, validity);
    return new Field(column.name, type, true, new Map(column.metadata ?? []));
  }

  #bits(bits: Uint8Array, rowCount: number, name: string): void {
    const byteCount = (rowCount + 7) >> 3;
    invariant(bits.length >= byteCount, `column ${name} has too short a bitmap`);
    this.rows.buffers.push(bits.subarray(0, byteCount));
  }

  /** Appends the node and buffers of a column or of a list's items; returns their type. */
  #values(
    values: ArrowValues,
    name: string,
    rowCount: number,
    nulls: number,
    validity: Uint8Array | null,
  ): DataType {
    const { nodes, buffers } = this.rows;
    nodes.push(new FieldNode(rowCount, nulls));
    if (validity === null) buffers.push(EMPTY);
    else this.#bits(validity, rowCount, name);
    const fixed = (view: View, perRow: number): void => {
      invariant(
        view.length === rowCount * perRow,
        `column ${name} has ${view.length} values for ${rowCount} rows`,
      );
      buffers.push(bytesOf(view));
    };
    switch (values.kind) {
      case 'utf8':
        pushUtf8(buffers, values, rowCount, name);
        return new Utf8();
      case 'dictionary':
        fixed(values.codes, 1);
        return new Dictionary(
          new Utf8(),
          codeType(values.codes),
          this.#dictionary(values.dictionary, name),
          false,
        );
      case 'int64':
        fixed(values.words, 2);
        return new Int64();
      case 'int32':
        fixed(values.i32, 1);
        return new Int32();
      case 'uint32':
        fixed(values.u32, 1);
        return new Uint32();
      case 'date32':
        fixed(values.i32, 1);
        return new DateDay();
      case 'timestamp':
        fixed(values.words, 2);
        return new Timestamp(TimeUnit.SECOND, 'UTC');
      case 'bool':
        this.#bits(values.bits, rowCount, name);
        return new Bool();
      case 'decimal':
        fixed(widenDecimals(values.words), 4);
        return new Decimal(values.places, 38, 128);
      case 'point':
        nodes.push(new FieldNode(rowCount * 2, 0));
        buffers.push(EMPTY);
        fixed(validity === null ? values.f64 : blankPoints(values.f64, validity), 2);
        return new FixedSizeList(2, new Field('item', new Float64(), false));
      case 'list': {
        const itemCount = pushOffsets(buffers, values.offsets, rowCount, name);
        return new List(new Field('item', this.#values(values.items, name, itemCount, 0, null), false));
      }
    }
  }

  #dictionary(strings: Utf8Values, name: string): number {
    const id = this.dictionaries.length;
    const count = strings.offsets.length - 1;
    const buffers: Uint8Array[] = [EMPTY];
    pushUtf8(buffers, strings, count, name);
    this.dictionaries.push({ id, rowCount: count, nodes: [new FieldNode(count, 0)], buffers });
    return id;
  }
}

/** Copies points with NaN at missing rows, because some readers do not support missing lists and show the items. */
function blankPoints(f64: Float64Array, validity: Uint8Array): Float64Array {
  const blanked = f64.slice();
  for (let row = 0; row * 2 < blanked.length; row++) {
    if (((validity[row >> 3] >> (row & 7)) & 1) === 0) blanked.fill(Number.NaN, row * 2, row * 2 + 2);
  }
  return blanked;
}

function codeType(codes: Uint8Array | Uint16Array | Uint32Array): Uint8 | Uint16 | Uint32 {
  if (codes instanceof Uint8Array) return new Uint8();
  return codes instanceof Uint16Array ? new Uint16() : new Uint32();
}

/** Appends an offsets buffer; returns the number of elements that it refers to. */
function pushOffsets(
  buffers: Uint8Array[],
  offsets: Int32Array | Uint32Array,
  count: number,
  name: string,
): number {
  invariant(offsets.length === count + 1 && offsets[0] === 0, `column ${name} has wrong offsets`);
  buffers.push(bytesOf(offsets));
  return offsets[count];
}

function pushUtf8(buffers: Uint8Array[], strings: Utf8Values, count: number, name: string): void {
  const byteCount = pushOffsets(buffers, strings.offsets, count, name);
  invariant(byteCount <= strings.bytes.length, `column ${name} has offsets past its bytes`);
  buffers.push(strings.bytes.subarray(0, byteCount));
}

/** Throws an InvariantError that names the column when its arrays do not have the table's row count. */
export function planFile(table: ArrowTable): FilePlan {
  const planner = new Planner(table.rowCount);
  const fields = table.columns.map((column) => planner.field(column));
  const schema = new Schema(fields, new Map(table.metadata), undefined, MetadataVersion.V5);
  return { schema, dictionaries: planner.dictionaries, rows: planner.rows };
}

/** All buffers of a plan, in the order in which `assembleFile` expects their frames. */
export function buffersOf(plan: FilePlan): Uint8Array[] {
  return [...plan.dictionaries, plan.rows].flatMap((body) => body.buffers);
}
