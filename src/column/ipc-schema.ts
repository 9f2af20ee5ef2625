/**
 * Reads the schema of a snapshot file from its metadata. Only the types that ipc-plan.ts writes are supported; any other type
 * throws an Error that names the field.
 */
import { DateUnit, Precision, TimeUnit, Type } from 'apache-arrow/enum';
import type { ArrowItems } from './arrow-column.js';
import type { FlatTable } from './ipc-flatbuffer.js';

export type CodeBytes = 1 | 2 | 4;

export type ItemType =
  | { readonly kind: Exclude<ArrowItems['kind'], 'dictionary' | 'decimal'> }
  | { readonly kind: 'dictionary'; readonly dictionaryId: number; readonly codeBytes: CodeBytes }
  | { readonly kind: 'decimal'; readonly places: number };

export type FieldType = ItemType | { readonly kind: 'list'; readonly items: ItemType };

export interface FieldSpec {
  readonly name: string;
  readonly type: FieldType;
  readonly metadata: ReadonlyMap<string, string>;
}

export interface SchemaSpec {
  readonly fields: readonly FieldSpec[];
  readonly metadata: ReadonlyMap<string, string>;
}

/** Slots of the tables in the Arrow format's Schema.fbs. */
const SCHEMA = { endianness: 0, fields: 1, metadata: 2 } as const;
const FIELD = { name: 0, typeType: 2, type: 3, dictionary: 4, children: 5, metadata: 6 } as const;
const DICTIONARY = { id: 0, indexType: 1 } as const;
const INT = { bitWidth: 0, isSigned: 1 } as const;
const DECIMAL = { precision: 0, places: 1, bitWidth: 2 } as const;

function metadataOf(entries: readonly FlatTable[]): Map<string, string> {
  return new Map(entries.map((entry) => [entry.text(0), entry.text(1)]));
}

function unknown(name: string, what: string): Error {
  return new Error(`field ${JSON.stringify(name)} has ${what}`);
}

function dictionaryType(encoding: FlatTable, name: string): ItemType {
  const index = encoding.table(DICTIONARY.indexType);
  const codeBytes = (index?.i32(INT.bitWidth, 0) ?? 32) / 8;
  const isSigned = index === null || index.u8(INT.isSigned, 0) !== 0;
  if (isSigned || (codeBytes !== 1 && codeBytes !== 2 && codeBytes !== 4)) {
    throw unknown(name, 'dictionary codes of an unknown width');
  }
  return { kind: 'dictionary', dictionaryId: encoding.size(DICTIONARY.id), codeBytes };
}

function itemType(field: FlatTable, name: string): ItemType {
  const typeId: Type = field.u8(FIELD.typeType, Type.NONE);
  const type = field.table(FIELD.type);
  if (type === null) throw unknown(name, 'no type');
  const encoding = field.table(FIELD.dictionary);
  if (encoding !== null) {
    if (typeId !== Type.Utf8) throw unknown(name, 'a dictionary of other values than strings');
    return dictionaryType(encoding, name);
  }
  switch (typeId) {
    case Type.Utf8:
      return { kind: 'utf8' };
    case Type.Bool:
      return { kind: 'bool' };
    case Type.Int: {
      const width = type.i32(INT.bitWidth, 0);
      const isSigned = type.u8(INT.isSigned, 0) !== 0;
      if (isSigned && width === 64) return { kind: 'int64' };
      if (width === 32) return { kind: isSigned ? 'int32' : 'uint32' };
      break;
    }
    case Type.Date:
      if (type.i16(0, DateUnit.MILLISECOND) === DateUnit.DAY) return { kind: 'date32' };
      break;
    case Type.Timestamp:
      if (type.i16(0, TimeUnit.SECOND) === TimeUnit.SECOND && type.text(1) === 'UTC')
        return { kind: 'timestamp' };
      break;
    case Type.Decimal:
      if (type.i32(DECIMAL.precision, 0) === 38 && type.i32(DECIMAL.bitWidth, 128) === 128) {
        return { kind: 'decimal', places: type.i32(DECIMAL.places, 0) };
      }
      break;
    case Type.FixedSizeList: {
      const [child] = field.tables(FIELD.children);
      const isF64 =
        child?.u8(FIELD.typeType, Type.NONE) === Type.Float &&
        child.table(FIELD.type)?.i16(0, Precision.HALF) === Precision.DOUBLE;
      if (type.i32(0, 0) === 2 && isF64) return { kind: 'point' };
      break;
    }
  }
  throw unknown(name, `a type (${typeId}) that snapshot files do not use`);
}

function fieldSpec(field: FlatTable): FieldSpec {
  const name = field.text(FIELD.name);
  const metadata = metadataOf(field.tables(FIELD.metadata));
  if (field.u8(FIELD.typeType, Type.NONE) !== Type.List)
    return { name, type: itemType(field, name), metadata };
  const [child] = field.tables(FIELD.children);
  if (child === undefined) throw unknown(name, 'no item type');
  return { name, type: { kind: 'list', items: itemType(child, name) }, metadata };
}

/** Throws an Error for an unsupported schema and a RangeError for damaged bytes. */
export function readSchema(schema: FlatTable): SchemaSpec {
  if (schema.i16(SCHEMA.endianness, 0) !== 0) throw new Error('the file is big-endian');
  return {
    fields: schema.tables(SCHEMA.fields).map(fieldSpec),
    metadata: metadataOf(schema.tables(SCHEMA.metadata)),
  };
}
