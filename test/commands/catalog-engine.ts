/** A catalog that administrative commands change, without an engine. */
import { Prng, type QuarryError } from '../../src/base/index.js';
import {
  applyChanges,
  type Catalog,
  type CatalogChange,
  EMPTY_CATALOG,
  hashOfKey,
  TEAM_PERMISSIONS,
} from '../../src/catalog/index.js';
import type { AdminDependencies } from '../../src/commands/admin/administer.js';
import type { Backup, Decision } from '../../src/engine/index.js';

export const SEED = 20_260_201;

/** Applies changes to its catalog; each call of `change` is one record. */
export class CatalogEngine {
  /** The error with which `backup` rejects; null = the backup succeeds. */
  backupFault: Error | null = null;
  #catalog: Catalog = EMPTY_CATALOG;
  readonly records: (readonly CatalogChange[])[] = [];
  refusal: QuarryError | null = null;

  constructor(changes: readonly CatalogChange[]) {
    this.#catalog = applyChanges(EMPTY_CATALOG, changes);
  }

  catalog(): Catalog {
    return this.#catalog;
  }

  async backup(to: string): Promise<Backup> {
    if (this.backupFault !== null) throw this.backupFault;
    return { lsn: 7, fileCount: 2, bytes: to.length };
  }

  async change<T>(decide: (catalog: Catalog) => Decision<T>): Promise<T> {
    if (this.refusal !== null) throw this.refusal;
    // An engine that waits for memory calls `decide` again.
    decide(EMPTY_CATALOG);
    const { changes, answer } = decide(this.#catalog);
    if (changes.length > 0) this.records.push(changes);
    this.#catalog = applyChanges(this.#catalog, changes);
    return answer;
  }
}

const FIRST: readonly CatalogChange[] = [
  { change: 'database-created', id: 1, name: 'quarry', type: 'production' },
  { change: 'database-created', id: 2, name: 'trial', type: 'test' },
  {
    change: 'key-created',
    key: { kind: 'team', hash: hashOfKey('team'), name: 'first', permissions: TEAM_PERMISSIONS },
  },
  { change: 'key-created', key: { kind: 'master', hash: hashOfKey('master'), databaseId: 1 } },
  { change: 'key-created', key: { kind: 'read', hash: hashOfKey('read'), databaseId: 1 } },
  { change: 'key-created', key: { kind: 'master', hash: hashOfKey('master 2'), databaseId: 2 } },
  {
    change: 'key-created',
    key: {
      kind: 'custom',
      hash: hashOfKey('custom'),
      databaseId: 2,
      name: 'report',
      level: 'read-only',
      description: '',
      columnsWhitelist: null,
      filter: [],
      addressesWhitelist: [],
    },
  },
];

export function setUp(seed = SEED): { engine: CatalogEngine; dependencies: AdminDependencies } {
  const engine = new CatalogEngine(FIRST);
  const prng = new Prng(seed);
  const randomBytes = (count: number): Uint8Array =>
    Uint8Array.from({ length: count }, () => prng.between(0, 255));
  return { engine, dependencies: { engine, randomBytes } };
}
