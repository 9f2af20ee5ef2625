/** The types of parameters that a client left open, as Postgres infers them: from what they are cast to or stand beside. */
import * as sql from '../sql/index.js';
import { type DatabaseContext, planSelect } from './select.js';
import { rowField, TYPE, TYPES_BY_NAME } from './types.js';

/** `given`: 0 where none was given. In the places of it; 0 stays where nothing tells. */
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
    // Whatever cannot be read or bound now is refused when it is asked for.
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
    // Lists are compared by their values.
    return typeId === TYPE.json ? 0 : typeId;
  } catch {
    return 0;
  }
}
