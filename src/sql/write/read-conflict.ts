/** Parses ON CONFLICT of an INSERT. */
import type { QueryReader } from '../query/query-reader.js';
import { sqlError } from '../sql-error.js';
import { unexpected } from '../tokens.js';
import type { Conflict, NamedColumn } from '../tree.js';
import { readAssignments } from './read-assignments.js';

/** Returns null if ON does not follow. Throws 6000 for conflicts other than that of entity IDs. */
export function readConflict(reader: QueryReader): Conflict | null {
  const { position } = reader.peek();
  if (!reader.acceptKeyword('ON')) return null;
  reader.expectKeyword('CONFLICT');
  const target = readTarget(reader);
  reader.expectKeyword('DO');
  if (reader.acceptKeyword('NOTHING')) return { position, target, update: null };
  if (!reader.isKeyword('UPDATE')) throw unexpected(reader.peek(), 'NOTHING or UPDATE');
  if (target === null)
    throw sqlError('ON CONFLICT DO UPDATE names the entity ID: ON CONFLICT ([entity-id])', position);
  reader.next();
  const set = readAssignments(reader);
  const where = reader.acceptKeyword('WHERE') ? reader.expression() : null;
  return { position, target, update: { set, where } };
}

function readTarget(reader: QueryReader): NamedColumn | null {
  const open = reader.peek();
  if (reader.isKeyword('ON')) {
    throw sqlError('constraints have no names; write ON CONFLICT ([entity-id])', open.position);
  }
  if (!reader.acceptSign('(')) return null;
  const { text: name, position } = reader.expectName("a column's name");
  if (!reader.isSign(')')) throw unexpected(reader.peek(), ') after the only column');
  reader.next();
  if (!reader.isKeyword('WHERE')) return { name, position };
  throw sqlError('ON CONFLICT has no condition, because every entity has an ID', reader.peek().position);
}
