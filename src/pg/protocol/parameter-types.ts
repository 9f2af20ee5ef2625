/** Infers parameter types that the client left open as Postgres does: from casts and from the other operand. */
import * as sql from '../../sql/index.js';
import { type DatabaseContext, planSelect } from '../session/select.js';
import { rowField, TYPE, TYPES_BY_NAME } from './types.js';

/** `given` has 0 for open types. Returns the types with the inferred ones filled in; 0 = could not be inferred. */
export function parameterTypes(
  statement: sql.PostgresStatement,
  given: readonly number[],
  admission: DatabaseContext,
): readonly number[] {
  if (!given.includes(0)) return given;
  try {
    const uses = sql.parameterUses(statement);
    const types = new Map([...new Set(uses)].map((use) => [use, typeOf(use, admission)] as const));
    return given.map((id, at) => (id === 0 ? (types.get(uses[at]) ?? 0) : id));
  } catch {
    // A statement that cannot be parsed or bound is refused when it is executed.
    return given;
  }
}

function typeOf(use: sql.ParameterUse | null, admission: DatabaseContext): number {
  if (use === null) return 0;
  if (use.is === 'count') return TYPE.int8;
  if (use.is === 'cast') return TYPES_BY_NAME.get(use.type) ?? 0;
  try {
    const [output] = planSelect(use.select, admission).outputs;
    const { typeId } = rowField(output);
    // Lists are compared with their items.
    return typeId === TYPE.json ? 0 : typeId;
  } catch {
    return 0;
  }
}
