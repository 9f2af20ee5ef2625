/** POST /v1/session: a user signs in and gets a key for 12 hours. */
import * as api from '../../../api/index.js';
import { QuarryError } from '../../../base/index.js';
import { databaseByName } from '../../../catalog/index.js';
import { handleMembersOf, type Members, type OpenCall } from './handler.js';

/**
 * Answers with the session's key, its expiry, and the permissions of the user's group. With `database-name` the key is for the
 * endpoints of that database, without it for team endpoints. Days and hours of access are checked at each request of the
 * session. Rejects with 7050 for an invalid body, 1502 after too many failed attempts, 9003 if too many clients sign in at
 * once, 502 for an unknown email or a wrong password (same text and about the same time for both), and 503 if the user is in
 * no group or may not use the database.
 */
export async function handleSignIn({
  body,
  catalog,
  engine,
  sessions,
  nowMs,
  client,
  notes,
}: OpenCall): Promise<Members> {
  const { email, password, databaseName } = api.readSignIn(api.parseJson(body));
  const { attempts } = sessions;
  attempts?.check(email, client);
  const fits = await sessions.passwords.fits(password, catalog.users.get(email)?.passwordHash ?? null);
  // Checked again, because other attempts may have failed while the password was hashed.
  attempts?.check(email, client);
  const newest = engine.catalog();
  const user = newest.users.get(email);
  notes.signsInAs = user?.email ?? null;
  if (!fits || user === undefined || user.passwordHash !== catalog.users.get(email)?.passwordHash) {
    attempts?.failed(email, client);
    throw new QuarryError(502, 'email or password is wrong');
  }
  const group = user.groupId === null ? undefined : newest.groups.get(user.groupId);
  if (group === undefined) throw new QuarryError(503, 'the user is in no permission group');
  const database = databaseName === null ? null : databaseByName(newest, databaseName);
  if (database !== null && (database === undefined || !group.databaseIds.includes(database.id))) {
    throw new QuarryError(503, 'the user may not use this database');
  }
  const databaseId = database?.id ?? null;
  const { key, expiresMs } = sessions.open({ kind: 'user', email, databaseId }, nowMs, user.passwordHash);
  return handleMembersOf({
    'session-key': key,
    'expires-at': new Date(expiresMs).toISOString(),
    permissions: group.permissions,
    databases: group.databaseIds.flatMap((id) => newest.databases.get(id)?.name ?? []),
  });
}
