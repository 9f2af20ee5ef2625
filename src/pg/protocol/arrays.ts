/**
 * Arrays as parameters: their types, and their binary format, which is converted to the text format.
 *   i32 dimensions, i32 hasNull, u32 element type; per dimension i32 length, i32 first index; per element i32 bytes (-1 = NULL),
 *   then the element in its own binary format
 */
import type { SqlParameter } from '../../sql/index.js';
import { ProtocolError } from './errors.js';
import { TYPE, TYPES_BY_NAME } from './types.js';

/** Array types by the type of their elements. */
const ARRAYS: ReadonlyMap<number, number> = new Map([
  [TYPE.bool, 1000],
  [TYPE.int2, 1005],
  [TYPE.int4, 1007],
  [TYPE.text, 1009],
  [TYPE.bpchar, 1014],
  [TYPE.varchar, 1015],
  [TYPE.int8, 1016],
  [TYPE.float4, 1021],
  [TYPE.float8, 1022],
  [TYPE.timestamp, 1115],
  [TYPE.date, 1182],
  [TYPE.timestamptz, 1185],
  [TYPE.numeric, 1231],
]);
const ARRAY_TYPES: ReadonlySet<number> = new Set(ARRAYS.values());

/** The type of arrays of a type; 0 = none. */
export const arrayTypeOf = (elementType: number): number => ARRAYS.get(elementType) ?? 0;

export const isArrayType = (typeId: number): boolean => ARRAY_TYPES.has(typeId);

/** The type with a name such as 'int8', 'double precision' or 'text []'; 0 = unknown. */
export function typeIdOf(name: string): number {
  const element = /^(.*) \[\]$/.exec(name)?.[1];
  return element === undefined
    ? (TYPES_BY_NAME.get(name) ?? 0)
    : arrayTypeOf(TYPES_BY_NAME.get(element) ?? 0);
}

/**
 * Decodes an array of at most one dimension. `elementOf` decodes an element of a type. Throws 22P03 if the bytes are not an array,
 * 0A000 for several dimensions.
 */
export function arrayParameter(
  bytes: Buffer,
  elementOf: (bytes: Buffer, typeId: number) => SqlParameter,
): SqlParameter {
  const wrong = (): ProtocolError => new ProtocolError('22P03', 'an array parameter cannot be read');
  if (bytes.length < 12) throw wrong();
  const dimensionCount = bytes.readInt32BE(0);
  if (dimensionCount === 0) return { is: 'text', text: '{}' };
  if (dimensionCount > 1) throw new ProtocolError('0A000', 'arrays of several dimensions are not supported');
  if (dimensionCount < 0 || bytes.length < 20) throw wrong();
  const typeId = bytes.readUInt32BE(8);
  if (isArrayType(typeId)) throw new ProtocolError('0A000', 'arrays of arrays are not supported');
  const count = bytes.readInt32BE(12);
  const elements: string[] = [];
  let at = 20;
  for (let index = 0; index < count; index++) {
    if (at + 4 > bytes.length) throw wrong();
    const length = bytes.readInt32BE(at);
    const end = at + 4 + Math.max(length, 0);
    if (length < -1 || end > bytes.length) throw wrong();
    elements.push(length === -1 ? 'NULL' : quotedElement(elementOf(bytes.subarray(at + 4, end), typeId)));
    at = end;
  }
  if (at !== bytes.length) throw wrong();
  return { is: 'text', text: `{${elements.join(',')}}` };
}

function quotedElement(value: SqlParameter): string {
  if (value.is === 'null') return 'NULL';
  const text = value.is === 'boolean' ? String(value.value) : value.text;
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
