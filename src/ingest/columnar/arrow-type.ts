/**
 * The types of Arrow fields (Schema.fbs), and how many buffers each has in a record batch. A type that no column takes can be
 * skipped, but not read.
 */
import type { FlatTable } from '../../column/index.js';
import { ArrowError } from './arrow-message.js';

export type ArrowType =
  | { readonly is: 'null' | 'bool' | 'text-view' }
  | { readonly is: 'int'; readonly bits: number; readonly signed: boolean }
  | { readonly is: 'float'; readonly bits: 32 | 64 }
  /** `wide`: offsets have 64 bits. */
  | { readonly is: 'text'; readonly wide: boolean }
  | { readonly is: 'decimal'; readonly bits: number; readonly places: number }
  /** Days, or milliseconds since 1970. */
  | { readonly is: 'date'; readonly unit: 'day' | 'millisecond' }
  /** Since 1970, in UTC; local times count as UTC. */
  | { readonly is: 'timestamp'; readonly perSecond: number }
  | { readonly is: 'list'; readonly wide: boolean }
  | { readonly is: 'fixed-list'; readonly items: number }
  | { readonly is: 'other'; readonly name: string };

export interface ArrowField {
  readonly name: string;
  /** With a dictionary: the type of its values. */
  readonly type: ArrowType;
  readonly children: readonly ArrowField[];
  /** Buffers in a record batch, besides those of the children; variadic buffers not counted. */
  readonly bufferCount: number;
  readonly dictionary: { readonly id: number; readonly codes: ArrowType & { readonly is: 'int' } } | null;
}

const SCHEMA = { endianness: 0, fields: 1 } as const;
const FIELD = { name: 0, typeType: 2, type: 3, dictionary: 4, children: 5 } as const;
const DICTIONARY = { id: 0, indexType: 1 } as const;
const INT = { bitWidth: 0, isSigned: 1 } as const;
const DECIMAL = { places: 1, bitWidth: 2 } as const;
const UNION_MODE = 0;
const DENSE = 1;

const DEPTH_MAX = 8;
const FIELDS_MAX = 10_000;
const PER_SECOND = [1, 1_000, 1_000_000, 1_000_000_000] as const;
const FLOAT_BITS = [16, 32, 64] as const;

const other = (name: string): ArrowType => ({ is: 'other', name });

/** Type ids of Schema.fbs that no column takes: their names and buffers. */
const OTHERS: ReadonlyMap<number, readonly [name: string, bufferCount: number]> = new Map([
  [4, ['binary', 3]],
  [9, ['time', 2]],
  [11, ['interval', 2]],
  [13, ['struct', 1]],
  [15, ['fixed-size binary', 2]],
  [17, ['map', 2]],
  [18, ['duration', 2]],
  [19, ['large binary', 3]],
  [22, ['run-end encoded', 0]],
  [23, ['binary view', 2]],
  [25, ['list view', 3]],
  [26, ['large list view', 3]],
]);

/** The fields of a schema. Throws ArrowError. */
export function fieldsOfSchema(schema: FlatTable): readonly ArrowField[] {
  if (schema.i16(SCHEMA.endianness, 0) !== 0) throw new ArrowError('the stream is big-endian');
  const count = { left: FIELDS_MAX };
  return schema.tables(SCHEMA.fields).map((field) => fieldOf(field, 0, count));
}

function fieldOf(field: FlatTable, depth: number, count: { left: number }): ArrowField {
  if (depth > DEPTH_MAX) throw new ArrowError(`its types are nested more than ${DEPTH_MAX} deep`);
  if (count.left-- === 0) throw new ArrowError(`it has more than ${FIELDS_MAX} fields`);
  const name = field.text(FIELD.name);
  const children = field.tables(FIELD.children).map((child) => fieldOf(child, depth + 1, count));
  const { type, bufferCount } = typeOf(field);
  const encoding = field.table(FIELD.dictionary);
  if (encoding === null) return { name, type, children, bufferCount, dictionary: null };
  const index = encoding.table(DICTIONARY.indexType);
  const codes = { is: 'int', ...(index === null ? { bits: 32, signed: true } : intOf(index)) } as const;
  // The children belong to the dictionary's values.
  return { name, type, children, bufferCount, dictionary: { id: encoding.size(DICTIONARY.id), codes } };
}

function intOf(type: FlatTable): { bits: number; signed: boolean } {
  const bits = type.i32(INT.bitWidth, 0);
  if (bits !== 8 && bits !== 16 && bits !== 32 && bits !== 64) {
    throw new ArrowError(`it has integers of ${bits} bits`);
  }
  return { bits, signed: type.u8(INT.isSigned, 0) !== 0 };
}

function typeOf(field: FlatTable): { type: ArrowType; bufferCount: number } {
  const id = field.u8(FIELD.typeType, 0);
  const type = field.table(FIELD.type);
  if (type === null) throw new ArrowError('a field has no type');
  const unread = OTHERS.get(id);
  if (unread !== undefined) return { type: other(unread[0]), bufferCount: unread[1] };
  switch (id) {
    case 1:
      return { type: { is: 'null' }, bufferCount: 0 };
    case 2:
      return { type: { is: 'int', ...intOf(type) }, bufferCount: 2 };
    case 3: {
      const bits = FLOAT_BITS[type.i16(0, 0)];
      return { type: bits === 32 || bits === 64 ? { is: 'float', bits } : other('float16'), bufferCount: 2 };
    }
    case 5:
    case 20:
      return { type: { is: 'text', wide: id === 20 }, bufferCount: 3 };
    case 6:
      return { type: { is: 'bool' }, bufferCount: 2 };
    case 7: {
      const bits = type.i32(DECIMAL.bitWidth, 128);
      if (![32, 64, 128, 256].includes(bits)) throw new ArrowError(`it has decimals of ${bits} bits`);
      return { type: { is: 'decimal', bits, places: type.i32(DECIMAL.places, 0) }, bufferCount: 2 };
    }
    case 8:
      return { type: { is: 'date', unit: type.i16(0, 1) === 0 ? 'day' : 'millisecond' }, bufferCount: 2 };
    case 10:
      return { type: { is: 'timestamp', perSecond: PER_SECOND[type.i16(0, 0)] ?? 1 }, bufferCount: 2 };
    case 12:
    case 21:
      return { type: { is: 'list', wide: id === 21 }, bufferCount: 2 };
    case 14:
      return { type: other('union'), bufferCount: type.i16(UNION_MODE, 0) === DENSE ? 2 : 1 };
    case 16:
      return { type: { is: 'fixed-list', items: type.i32(0, 0) }, bufferCount: 1 };
    case 24:
      return { type: { is: 'text-view' }, bufferCount: 2 };
    default:
      throw new ArrowError(`it has a type with the unknown number ${id}`);
  }
}

/** Whether a batch says how many further buffers a field of this type has. */
export const isView = ({ type }: ArrowField): boolean =>
  type.is === 'text-view' || (type.is === 'other' && type.name === 'binary view');

/** The type as messages name it. */
export function describeType({ type, children, dictionary }: ArrowField): string {
  const [first] = children;
  const plain = (): string => {
    switch (type.is) {
      case 'int':
        return `${type.signed ? '' : 'u'}int${type.bits}`;
      case 'float':
        return `float${type.bits}`;
      case 'text':
        return type.wide ? 'large text' : 'text';
      case 'text-view':
        return 'text view';
      case 'decimal':
        return `decimal${type.bits} with ${type.places} places`;
      case 'list':
      case 'fixed-list':
        return first === undefined ? 'list' : `list of ${describeType(first)}`;
      case 'other':
        return type.name;
      default:
        return type.is;
    }
  };
  return dictionary === null ? plain() : `dictionary of ${plain()}`;
}
