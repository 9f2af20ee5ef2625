/**
 * The first start of an empty store: a team and a database, both named quarry, and their keys.
 * Crash safety  keys.json is written and synced before the record that makes the keys valid; a crash between the
 * two leaves keys that nobody accepts, and the next start makes new ones.
 */
import { createHash } from 'node:crypto';
import type { CatalogChange, KeyKind } from '../catalog/index.js';
import type { FileSystem } from '../io/index.js';

const KEY_BYTES = 32;
const FIRST_DATABASE = { id: 1, name: 'quarry', type: 'production' } as const;

/** SHA-256 of a key's text, lower-case hex: all that is kept of it. */
export const hashOfKey = (key: string): string => createHash('sha256').update(key, 'utf8').digest('hex');

/** Writes DIR/keys.json (mode 0600) and returns the changes that make its keys valid. */
export async function prepareFirstStart(
  fs: FileSystem,
  dir: string,
  randomBytes: (count: number) => Uint8Array,
): Promise<CatalogChange[]> {
  const changes: CatalogChange[] = [{ change: 'database-created', ...FIRST_DATABASE }];
  const makeKey = (kind: KeyKind): string => {
    const key = Buffer.from(randomBytes(KEY_BYTES)).toString('base64url');
    const databaseId = kind === 'team' ? null : FIRST_DATABASE.id;
    changes.push({ change: 'key-created', key: { hash: hashOfKey(key), kind, databaseId } });
    return key;
  };
  const keys = {
    'team-key': makeKey('team'),
    database: {
      name: FIRST_DATABASE.name,
      'master-key': makeKey('master'),
      'write-key': makeKey('write'),
      'read-key': makeKey('read'),
    },
  };
  await fs.writeFile(`${dir}/keys.json`, Buffer.from(`${JSON.stringify(keys, null, 2)}\n`), 0o600);
  await fs.syncDir(dir);
  return changes;
}
