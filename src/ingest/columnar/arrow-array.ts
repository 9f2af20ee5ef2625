/**
 * The arrays of a record batch: views of the body's bytes, one per field. Every length that later reads rely on is checked here,
 * but not what is in the buffers: offsets and codes are checked by whoever follows them.
 */
import { type FlatTable, readSize } from '../../column/index.js';
import { ArrowError } from './arrow-message.js';
import { type ArrowField, type ArrowType, describeType, isView } from './arrow-type.js';

export interface ArrowArray {
  readonly field: ArrowField;
  readonly length: number;
  /** Bit 1 = has a value; null = every row has one. At least `length` bits. */
  readonly validity: Uint8Array | null;
  /** The buffers after the validity; with a dictionary one buffer of codes. Each starts 8-aligned. */
  readonly buffers: readonly Uint8Array[];
  readonly children: readonly ArrowArray[];
  /** The values that codes refer to; null = the array has values of its own. */
  readonly dictionary: ArrowArray | null;
}

/** By the ID of the dictionary. */
export type ArrowDictionaries = ReadonlyMap<number, ArrowArray>;

const BATCH = { length: 0, nodes: 1, buffers: 2, compression: 3, variadicCounts: 4 } as const;
const STRUCT_BYTES = 16;

/** Values of a field, or items of its lists. */
const LENGTH_MAX = 2 ** 24;

interface Region {
  readonly offset: number;
  readonly length: number;
}

interface Node {
  readonly length: number;
  readonly nullCount: number;
}

export class BatchReader {
  readonly rowCount: number;
  readonly #body: Uint8Array;
  readonly #nodes: readonly Node[];
  readonly #regions: readonly Region[];
  readonly #variadicCounts: readonly number[];
  #node = 0;
  #region = 0;
  #variadic = 0;

  /** `body` starts at the body of the message and has all of it. */
  constructor(batch: FlatTable, body: Uint8Array) {
    const pair = (view: DataView, at: number): [number, number] => [
      readSize(view, at),
      readSize(view, at + 8),
    ];
    this.rowCount = batch.size(BATCH.length);
    this.#body = body;
    this.#nodes = batch.structs(BATCH.nodes, STRUCT_BYTES, (view, at) => {
      const [length, nullCount] = pair(view, at);
      return { length, nullCount };
    });
    this.#regions = batch.structs(BATCH.buffers, STRUCT_BYTES, (view, at) => {
      const [offset, length] = pair(view, at);
      if (offset + length > body.length)
        throw new ArrowError('a buffer reaches beyond the body of its message');
      return { offset, length };
    });
    this.#variadicCounts = batch.structs(BATCH.variadicCounts, 8, readSize);
    if (batch.table(BATCH.compression) !== null) {
      throw new ArrowError(
        'its buffers are compressed: write them as they are, and compress the body as a whole',
      );
    }
  }

  /** The next field of the batch. Throws ArrowError. */
  field(field: ArrowField, dictionaries: ArrowDictionaries): ArrowArray {
    const array = this.#array(field, dictionaries);
    if (array.length === this.rowCount) return array;
    throw new ArrowError(
      `the field "${field.name}" has ${array.length} rows, and its batch ${this.rowCount}`,
    );
  }

  #array(field: ArrowField, dictionaries: ArrowDictionaries): ArrowArray {
    const node = this.#nodes[this.#node++];
    if (node === undefined) throw new ArrowError('it has fewer fields than its schema');
    const { length } = node;
    if (length > LENGTH_MAX)
      throw new ArrowError(`the field "${field.name}" has more than ${LENGTH_MAX} values`);
    const isCoded = field.dictionary !== null;
    const bufferCount = isCoded ? 2 : field.bufferCount + this.#variadicCount(field);
    const hasValidity = hasValidityBuffer(field);
    const all = Array.from({ length: bufferCount }, () => this.#buffer());
    const validity = hasValidity && node.nullCount > 0 ? all[0] : null;
    if (validity !== null) need(validity, (length + 7) >> 3, field);
    const buffers = hasValidity ? all.slice(1) : all;
    const type = field.dictionary?.codes ?? field.type;
    const least = bytesOf(type, length);
    if (least > 0) need(buffers[0], least, field);
    const children = isCoded ? [] : field.children.map((child) => this.#array(child, dictionaries));
    if (type.is === 'fixed-list' && (type.items < 0 || (children[0]?.length ?? 0) < length * type.items)) {
      throw new ArrowError(`the lists of the field "${field.name}" have fewer items than they should`);
    }
    if (type.is === 'list' && children.length === 0) throw new ArrowError('a list has no type of items');
    const dictionary = field.dictionary === null ? null : dictionaries.get(field.dictionary.id);
    if (dictionary === undefined) throw new ArrowError(`the field "${field.name}" has no dictionary`);
    return { field, length, validity, buffers, children, dictionary };
  }

  #variadicCount(field: ArrowField): number {
    if (!isView(field)) return 0;
    const count = this.#variadicCounts[this.#variadic++] ?? 0;
    if (count > this.#regions.length) throw new ArrowError('it has fewer buffers than its views say');
    return count;
  }

  #buffer(): Uint8Array {
    const region = this.#regions[this.#region++];
    if (region === undefined) throw new ArrowError('it has fewer buffers than its schema');
    const { offset, length } = region;
    return aligned(this.#body.subarray(offset, offset + length));
  }
}

const NO_VALIDITY = new Set(['union', 'run-end encoded']);

const hasValidityBuffer = ({ type, dictionary }: ArrowField): boolean =>
  dictionary !== null || (type.is !== 'null' && !(type.is === 'other' && NO_VALIDITY.has(type.name)));

/** Streams are 8-aligned as a rule; a stream that is not is copied. */
const aligned = (bytes: Uint8Array): Uint8Array => ((bytes.byteOffset & 7) === 0 ? bytes : bytes.slice());

function need(buffer: Uint8Array | undefined, bytes: number, field: ArrowField): void {
  if (buffer === undefined || buffer.length < bytes) {
    throw new ArrowError(`a buffer of the field "${field.name}" (${describeType(field)}) is too short`);
  }
}

/** The least length of the first buffer after the validity. */
function bytesOf(type: ArrowType, length: number): number {
  switch (type.is) {
    case 'bool':
      return (length + 7) >> 3;
    case 'int':
    case 'float':
    case 'decimal':
      return length * (type.bits / 8);
    case 'date':
      return length * (type.unit === 'day' ? 4 : 8);
    case 'timestamp':
      return length * 8;
    case 'text':
    case 'list':
      // The offsets of an array without rows may be missing.
      return length === 0 ? 0 : (length + 1) * (type.wide ? 8 : 4);
    case 'text-view':
      return length * 16;
    default:
      return 0;
  }
}

/** Offsets of a text or list array as numbers; ascending, and none above `end`. Throws ArrowError. */
export function offsetsOf({ field, length, buffers: [bytes] }: ArrowArray, end: number): Int32Array {
  if (length === 0) return new Int32Array(1);
  const isWide = (field.type.is === 'text' || field.type.is === 'list') && field.type.wide;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, (length + 1) * (isWide ? 2 : 1));
  const offsets = isWide ? new Int32Array(length + 1) : words;
  let high = 0;
  if (isWide) {
    for (let index = 0; index <= length; index++) {
      offsets[index] = words[index * 2];
      high |= words[index * 2 + 1];
    }
  }
  // The sign of each offset and of each step.
  let signs = offsets[0];
  for (let index = 0; index < length; index++) {
    signs |= offsets[index + 1] | (offsets[index + 1] - offsets[index]);
  }
  if (high !== 0 || signs < 0 || offsets[length] > end) {
    throw new ArrowError(`the offsets of the field "${field.name}" do not ascend within its values`);
  }
  return offsets;
}
