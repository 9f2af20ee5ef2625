/**
 * The first start of an empty store: a team and a database, both named quarry, and their keys.
 * Crash safety: keys.json is written and synced before the record that makes the keys valid. A crash between the two leaves
 * invalid keys, and the next start creates new ones.
 */

import type { RandomBytes } from '../../base/index.js';
import {
  type CatalogChange,
  type DatabaseKeyKind,
  DEFAULT_PROPERTIES,
  newKeyText,
  secretsOfKey,
  TEAM_PERMISSIONS,
} from '../../catalog/index.js';
import type { FileSystem } from '../../io/index.js';

const FIRST_DATABASE = { id: 1, name: 'quarry', type: 'production' } as const;
const FIRST_TEAM_KEY = 'first';

/** Writes DIR/keys.json (mode 0600) and returns the changes that make its keys valid. */
export async function prepareFirstStart(
  fs: FileSystem,
  dir: string,
  randomBytes: RandomBytes,
  nowMs: number,
): Promise<CatalogChange[]> {
  const teamKey = newKeyText(randomBytes);
  const properties = { ...DEFAULT_PROPERTIES, createdMs: nowMs, updatedMs: nowMs };
  const changes: CatalogChange[] = [
    { change: 'database-created', ...FIRST_DATABASE, properties },
    {
      change: 'key-created',
      key: { ...secretsOfKey(teamKey), kind: 'team', name: FIRST_TEAM_KEY, permissions: TEAM_PERMISSIONS },
    },
  ];
  const databaseKey = (kind: DatabaseKeyKind): string => {
    const key = newKeyText(randomBytes);
    changes.push({
      change: 'key-created',
      key: { ...secretsOfKey(key), kind, databaseId: FIRST_DATABASE.id },
    });
    return key;
  };
  const keys = {
    'team-key': teamKey,
    database: {
      name: FIRST_DATABASE.name,
      'master-key': databaseKey('master'),
      'write-key': databaseKey('write'),
      'read-key': databaseKey('read'),
    },
  };
  await fs.writeFile(`${dir}/keys.json`, Buffer.from(`${JSON.stringify(keys, null, 2)}\n`), 0o600);
  await fs.syncDir(dir);
  return changes;
}
