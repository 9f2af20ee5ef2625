/** A catalog for the tests of the team's endpoints: databases with columns, keys, groups and users. */
import { createColumns, type ModelDecision, parseJson, type Reach } from '../../src/api/index.js';
import { applyChanges, type Catalog, DEFAULT_PROPERTIES, databaseOf } from '../../src/catalog/index.js';
import { customKey, emptyCatalog, json } from './databases.js';

export const NOW_MS = Date.UTC(2026, 4, 6, 7, 8, 9, 123);
export const EVERYWHERE: Reach = () => true;
/** Database `two` alone. */
export const ONLY_TWO: Reach = (id) => id === 2;

const COLUMNS = json(`[
  {"name":"Age","type":"integer"},
  {"name":"Visits","type":"string-event"},
  {"name":"Level","type":"integer","dimension":"users"}
]`);

function teamCatalog(): Catalog {
  const empty = emptyCatalog();
  const withColumns = applyChanges(empty, createColumns(COLUMNS, databaseOf(empty, 1)).changes);
  const properties = {
    ...DEFAULT_PROPERTIES,
    pricingModel: null,
    queryLoad: 'high' as const,
    createdMs: 5,
    updatedMs: 6,
  };
  const user = { labels: [], firstName: 'Ann', lastName: '', passwordHash: 'scrypt$x' };
  return applyChanges(withColumns, [
    { change: 'database-created', id: 2, name: 'two', type: 'test', properties },
    { change: 'key-created', key: customKey({}) },
    { change: 'key-created', key: { ...customKey({ level: 'read-only' }), hash: 'ce', name: '__proto__' } },
    { change: 'key-created', key: { ...customKey({}), hash: 'cf', databaseId: 2 } },
    {
      change: 'group-set',
      group: {
        id: 1,
        name: 'analysts',
        description: 'who ask',
        permissions: [1, 6],
        databaseIds: [2],
        labels: ['x'],
        weekDays: ['mon'],
        accessMinutes: { from: 60, to: 120 },
      },
    },
    { change: 'user-set', user: { ...user, email: 'ann@example.org', groupId: 1 } },
  ]);
}

/** Databases one (with columns; production) and two (test), keys custom and __proto__, a group and a user. */
export const TEAM = teamCatalog();

/** The catalog after a decision, and the decision's answer. */
export function after<T>(
  decision: ModelDecision<T>,
  catalog: Catalog = TEAM,
): { catalog: Catalog; answer: T } {
  return { catalog: applyChanges(catalog, decision.changes), answer: decision.answer };
}

/** JSON text of `fields` with some of them replaced; undefined leaves a field out. */
export function bodyWith(fields: object, more: object = {}): string {
  return JSON.stringify({ ...fields, ...more });
}

/** JSON values of every type except text. */
export const NO_TEXTS: readonly unknown[] = [1, true, [], {}, ['a'], { a: 1 }];

export const parsed = (value: unknown) => parseJson(new TextEncoder().encode(JSON.stringify(value)));
