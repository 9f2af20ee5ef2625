/**
 * A short run of an engine: writes of every kind, during and between checkpoints, and the resulting state as text. The
 * writes come one after the other, so the content of the store is always the result of some number of them.
 */
import {
  bindCountEntity,
  bindQuery,
  createColumns,
  createDimensions,
  deleteDimension,
  FULL_ACCESS,
  parseJson,
} from '../../../src/api/index.js';
import {
  type CatalogChange,
  catalogToPlain,
  DEFAULT_PROPERTIES,
  databaseOf,
  type SavedQuery,
} from '../../../src/catalog/index.js';
import type { Engine } from '../../../src/engine/index.js';
import type { Column, DatabaseModel, Dimension } from '../../../src/schema/index.js';
import { bindWrites, readScript } from '../../../src/sql/index.js';
import { NOW_MS, type OpenedEngine } from '../history/engine-fixture.js';

const DATABASE_ID = 1;

export const bytesOf = (json: unknown): Uint8Array => Buffer.from(JSON.stringify(json));

export type Write = (engine: Engine) => Promise<unknown>;

const common = { databaseId: DATABASE_ID, customKey: false, columnIds: null, charge: () => {} };

/** `idempotencyId` acts like an Idempotency-Key. */
export const insert = (body: unknown, idempotencyId: string | null = null): Write => {
  return (engine) => engine.insert({ ...common, body: bytesOf(body), idempotencyId });
};

/** An update with `set`, a delete without. */
export const mutate = (query: unknown, set: unknown = null, idempotencyId: string | null = null): Write => {
  return (engine) =>
    engine.mutate({
      ...common,
      nowMs: NOW_MS,
      idempotency: idempotencyId === null ? null : { id: idempotencyId, bodyHash: 'hash' },
      bind: (model) => {
        const dimension = model.dimensions.get('default') as Dimension;
        const condition = bindQuery(parseJson(bytesOf(query)), dimension, NOW_MS);
        return { dimensionId: dimension.id, condition, set: set === null ? null : JSON.stringify(set) };
      },
    });
};

/** Several SQL statements as one write. */
export const script = (text: string, idempotencyId: string): Write => {
  const read = readScript(text);
  if (read.kind !== 'writes') throw new Error(`${text} writes nothing`);
  return (engine) =>
    engine.script({
      ...common,
      nowMs: NOW_MS,
      idempotency: { id: idempotencyId, bodyHash: 'hash' },
      bind: (model) => bindWrites(read.statements, { model, nowMs: NOW_MS, access: FULL_ACCESS }),
    });
};

/** Changes of the catalog that depend only on IDs that the run has assigned. */
const apply = (...changes: CatalogChange[]): Write => {
  return (engine) => engine.change(() => ({ changes, answer: null }));
};

/** Changes the column `apiName` of the default dimension as `make` specifies. */
const columnChange = (apiName: string, make: (column: Column) => CatalogChange): Write => {
  return change((model) => {
    const column = model.dimensions.get('default')?.columns.get(apiName) as Column;
    return { changes: [make(column)], answer: null };
  });
};

export const change = (
  decide: (model: DatabaseModel) => { changes: readonly CatalogChange[]; answer: unknown },
): Write => {
  return (engine) => engine.change((catalog) => decide(databaseOf(catalog, DATABASE_ID)));
};

/** `count` entities from `first` on, all carrying `tag`. */
function entities(tag: string, dimension: string, first: number, count: number): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (let index = first; index < first + count; index++) {
    body[`e${index}`] = {
      dimension,
      tag,
      number: index,
      list: [tag, `item-${index % 3}`],
      event: [{ value: tag, date: '2020-01-01' }, { value: `other-${index}` }],
    };
  }
  return body;
}

/** The same entities without the deleted columns. */
function entitiesNow(tag: string, first: number, count: number): Record<string, unknown> {
  const all = entities(tag, 'default', first, count) as Record<string, Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(all).map(([id, { dimension, event }]) => [id, { dimension, tag, event }]),
  );
}

export const AUTO = { 'auto-create': ['dimension', 'column'] };

const OF_DEFAULT = { databaseId: DATABASE_ID, dimensionId: 1 } as const;
const KEY_HASH = 'ab'.repeat(32);

const SAVED_QUERY: SavedQuery = {
  ...{ databaseId: DATABASE_ID, name: 'of-t0', type: 'count/entity', dimension: null, version: 1 },
  ...{ query: '[{"tag":{"equals":"t0"}}]', cachePeriodSeconds: 5, creator: KEY_HASH },
};

/**
 * The run: writes, and the steps that start a checkpoint, which runs during the following writes, or wait for one. A query
 * changes the state to be written but adds no record: the next checkpoint has the same LSN.
 */
const LIFE: readonly (Write | 'checkpoint' | 'wait' | 'request')[] = [
  insert({ ...entities('t0', 'default', 0, 12), ...AUTO }),
  change((model) => createDimensions(parseJson(bytesOf({ name: 'spare', 'api-name': 'spare' })), model)),
  insert({ ...entities('t1', 'second', 0, 9), ...AUTO }),
  'checkpoint',
  'wait',
  insert(entities('t2', 'default', 6, 12)),
  change((model) =>
    createColumns(parseJson(bytesOf([{ name: 'late', 'api-name': 'late', type: 'integer-event' }])), model),
  ),
  'checkpoint',
  insert(entities('t3', 'second', 4, 6)),
  insert({ ...entities('t4', 'third', 0, 5), ...AUTO }),
  'wait',
  'checkpoint',
  insert({ e1: { late: { value: 7, date: '2021-01-01' } }, e2: { tag: 't5' } }),
  change((model) => deleteDimension(parseJson(bytesOf({ 'api-name': 'third' })), model)),
  'wait',
  insert(entities('t6', 'default', 15, 8), 'once-insert'),
  mutate([{ number: { range: [2, 5] } }], { tag: 't5', event: { value: 'set', date: '2020-02-01' } }),
  'checkpoint',
  mutate([{ tag: { equals: 't6' } }], null, 'once-delete'),
  script(
    `INSERT INTO [default] ([entity-id], tag, number, [event.1.value], [event.1.date])
       VALUES ('e40', 't6', 40, 't6', '2020-03-01'), ('e41', 't6', 41, NULL, NULL);
     UPDATE [default] SET tag = 't5', [event.value] = 't5' WHERE number >= 40;
     DELETE FROM [default] WHERE [entity-id] = 'e41'`,
    'once-script',
  ),
  apply(
    { change: 'database-created', id: 2, name: 'other', type: 'test', properties: DEFAULT_PROPERTIES },
    { change: 'key-created', key: { hash: KEY_HASH, kind: 'demo', databaseId: 2 } },
    { change: 'saved-query-set', savedQuery: SAVED_QUERY },
    { change: 'saved-query-set', savedQuery: { ...SAVED_QUERY, name: 'spare' } },
    { change: 'saved-query-set', savedQuery: { ...SAVED_QUERY, databaseId: 2 } },
  ),
  columnChange('list', ({ id }) => ({ change: 'column-deleted', ...OF_DEFAULT, columnId: id })),
  'wait',
  change(({ dimensions }) => {
    const columns = dimensions.get('default')?.columns;
    const number = { ...(columns?.get('number') as Column), active: false };
    const late = { ...(columns?.get('late') as Column), retentionDays: 3_650 };
    const changes = [number, late].map(
      (column) => ({ change: 'column-changed', ...OF_DEFAULT, column }) as const,
    );
    return { changes, answer: null };
  }),
  columnChange('event', ({ id }) => ({
    change: 'relation-set',
    ...OF_DEFAULT,
    relation: { id: 1_000, name: 'pair', columnIds: [id] },
  })),
  'checkpoint',
  insert(entitiesNow('t7', 0, 30)),
  apply(
    { change: 'database-deleted', databaseId: 2 },
    { change: 'account-set', state: 'suspended' },
    { change: 'saved-query-deleted', databaseId: DATABASE_ID, name: 'spare' },
    {
      change: 'saved-query-set',
      savedQuery: { ...SAVED_QUERY, type: 'count/entity/total', query: '[]', version: 2 },
    },
  ),
  mutate([{ tag: { equals: 't7' } }, 'and', { 'entity-id': { 'starts-with': 'e1' } }]),
  'checkpoint',
  'wait',
  'request',
];

/** A checkpoint that is discarded because a dimension was deleted during it loses no data. */
export const checkpointOf = (engine: Engine): Promise<void> =>
  engine.checkpoint().catch((error: Error) => {
    if (!error.message.endsWith('the checkpoint is repeated')) throw error;
  });

export const WRITE_COUNT = LIFE.filter((step) => typeof step === 'function').length;

export interface Lived {
  /** The numbers of sent and of acknowledged writes. */
  sent: number;
  acknowledged: number;
}

/**
 * Runs the writes from `from` on, and stops the engine at the end. `lived` holds the current progress. `eachState` is
 * called after every write.
 */
export async function live(
  { engine, fatal }: OpenedEngine,
  lived: Lived,
  from = 0,
  eachState: (engine: Engine) => Promise<void> = async () => {},
): Promise<void> {
  let checkpoint = Promise.resolve();
  let ordinal = 0;
  const story = async (): Promise<void> => {
    for (const step of LIFE) {
      if (step === 'wait') await checkpoint;
      if (step === 'request') engine.noteRequest(DATABASE_ID, true);
      if (step === 'checkpoint' && ordinal >= from) {
        checkpoint = checkpointOf(engine);
        checkpoint.catch(() => {});
      }
      if (typeof step === 'string' || ordinal++ < from) continue;
      lived.sent = ordinal;
      await step(engine);
      lived.acknowledged = ordinal;
      await eachState(engine);
    }
    await checkpoint;
    await engine.close();
  };
  await Promise.race([story(), fatal]);
}

/** The first `count` writes of the run, without a checkpoint. */
export async function write(engine: Engine, count: number): Promise<void> {
  for (const step of LIFE.filter((step) => typeof step === 'function').slice(0, count)) await step(engine);
}

const ALL_TIME = ['1990-01-01', '2100-01-01'];
const TAGS = ['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7', 'item-1'];

/** The catalog without secrets, the recorded usage, and the number of recorded idempotency keys. */
function administrationOf(engine: Engine): string {
  const { keys, ...catalog } = catalogToPlain(engine.catalog()) as { readonly keys: readonly unknown[] };
  const { requestCount: _, queryCount: __, ...usage } = engine.usage(DATABASE_ID);
  return JSON.stringify([catalog, keys.length, usage, engine.stats().idempotencyKeyCount]);
}

const QUERY_OPTIONS = { cancellation: null, bypassCache: true };

/** The state of the store as the queries of the run return it, as text: equal states have equal texts. */
export async function stateOf(engine: Engine): Promise<string> {
  const model = databaseOf(engine.catalog(), DATABASE_ID);
  const lines: string[] = [administrationOf(engine)];
  for (const dimension of model.dimensions.values()) {
    const columns = [...dimension.columns.values()]
      .filter(({ active }) => active)
      .map(({ apiName, type }) => `${apiName} ${type}`);
    const [total] = await engine.countEntities(
      [{ databaseId: DATABASE_ID, dimensionId: dimension.id, condition: null }],
      QUERY_OPTIONS,
    );
    lines.push(`${dimension.apiName}: ${total} entities; ${columns.join(', ')}`);
    const queries: unknown[][] = [];
    const has = (column: string): boolean => columns.some((text) => text.startsWith(`${column} `));
    for (const tag of TAGS) {
      if (has('tag')) queries.push([{ tag: { equals: tag } }]);
      if (has('list')) queries.push([{ list: { equals: tag } }]);
      if (has('event')) {
        for (const minfreq of [1, 2]) queries.push([{ event: { equals: tag, between: ALL_TIME, minfreq } }]);
      }
    }
    if (has('number')) queries.push([{ number: { range: [3, 7] } }]);
    if (has('late')) queries.push([{ late: { gte: 7, between: ALL_TIME } }]);
    const plans = queries.map((query) => {
      const body = bytesOf({ 'query-name': 'q', dimension: dimension.apiName, query });
      const [{ dimensionId, condition }] = bindCountEntity(parseJson(body), model, NOW_MS, FULL_ACCESS);
      return { databaseId: DATABASE_ID, dimensionId, condition };
    });
    const counts = await engine.countEntities(plans, QUERY_OPTIONS);
    lines.push(counts.join(' '));
  }
  return lines.join('\n');
}
