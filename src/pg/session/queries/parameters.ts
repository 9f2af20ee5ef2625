/** The parameters of a portal: their values, the types that the client left open, and the fields described without them. */
import * as sql from '../../../sql/index.js';
import { arrayTypeOf, typeIdOf } from '../../protocol/arrays.js';
import { ProtocolError } from '../../protocol/errors.js';
import { BINARY, type RowField, TEXT_FORMAT } from '../../protocol/messages.js';
import { parameterValue } from '../../protocol/parameters.js';
import { rowField, TYPE } from '../../protocol/types.js';
import type { Portal } from '../portal.js';
import { type DatabaseContext, planSelect } from './select.js';

const SHOWN_BYTES_MAX = 80;

export const parameterBytes = (parameters: readonly sql.SqlParameter[]): number =>
  parameters.reduce((sum, one) => sum + ('text' in one ? one.text.length : 1), 0);

/** The parameter values, by the types from the client; open types are inferred for binary values and NULL. */
export function parametersOf({ prepared, values, parameterFormats }: Portal): readonly sql.SqlParameter[] {
  const { typeIds, inferredIds } = prepared;
  return values.map((value, at) => {
    const isInferred = typeIds[at] === 0 && (value === null || parameterFormats[at] === BINARY);
    const typeId = isInferred ? (inferredIds?.[at] ?? 0) : typeIds[at];
    return parameterValue(value, typeId, parameterFormats[at]);
  });
}

/** Types whose values convert to another type in text without loss, by the number of that type. */
const LOSSLESS_TYPES: ReadonlyMap<number, readonly number[]> = new Map([
  [TYPE.numeric, [TYPE.int8]],
  [TYPE.text, [TYPE.int8, TYPE.numeric, TYPE.date, TYPE.json]],
]);

const WHOLE = /^\s*[+-]?\d+\s*$/;

/** The error for a text parameter that was described as an integer but is not one; null = there is none. */
export function misfit({
  prepared: { inferredIds, typeIds },
  values,
  parameterFormats,
}: Portal): Error | null {
  const wrong = values.find(
    (value, at) =>
      value !== null &&
      typeIds[at] === 0 &&
      inferredIds?.[at] === TYPE.int8 &&
      parameterFormats[at] === TEXT_FORMAT &&
      !WHOLE.test(value.toString('latin1')),
  );
  if (wrong === undefined || wrong === null) return null;
  const shown = JSON.stringify(wrong.toString('latin1', 0, SHOWN_BYTES_MAX));
  return new ProtocolError('22P02', `${shown} is not an integer, as which the parameter was described`);
}

/** The fields to send for rows with `fields`; null = the rows do not convert to the described fields. */
export function fieldsAsDescribed(
  fields: readonly RowField[],
  described: readonly RowField[] | null,
): readonly RowField[] | null {
  if (described === null) return fields;
  const isCompatible =
    described.length === fields.length &&
    described.every(({ name, typeId }, at) => {
      const field = fields[at];
      const isSame = field.typeId === typeId || LOSSLESS_TYPES.get(typeId)?.includes(field.typeId) === true;
      return isSame && field.name === name;
    });
  if (!isCompatible) return null;
  return fields.map((field, at) => (field.typeId === described[at].typeId ? field : described[at]));
}

/**
 * Infers the parameter types that the client left open, as Postgres does: from casts and from the other operand. `sent` has 0
 * for open types. Returns the types with the inferred ones filled in; 0 = could not be inferred.
 */
export function parameterTypes(
  statement: sql.PostgresStatement,
  sent: readonly number[],
  admission: DatabaseContext,
): readonly number[] {
  if (!sent.includes(0)) return sent;
  try {
    const uses = sql.parameterUses(statement);
    const types = new Map([...new Set(uses)].map((use) => [use, typeOf(use, admission)] as const));
    return sent.map((id, at) => (id === 0 ? (types.get(uses[at]) ?? 0) : id));
  } catch {
    // A statement that cannot be parsed or bound is refused when it is executed.
    return sent;
  }
}

function typeOf(use: sql.ParameterUse | null, admission: DatabaseContext): number {
  if (use === null) return 0;
  if (use.is === 'count') return TYPE.int8;
  if (use.is === 'cast') return typeIdOf(use.type);
  try {
    const [output] = planSelect(use.select, admission, 'postgres').outputs;
    const { typeId } = rowField(output);
    // Lists are compared with their items.
    if (typeId === TYPE.json) return 0;
    return use.isArray ? arrayTypeOf(typeId) : typeId;
  } catch {
    return 0;
  }
}
