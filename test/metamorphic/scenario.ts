/**
 * A generated sequence of operations on a database: columns, inserts, updates, deletes and deleted columns, and the
 * answers of the row-at-a-time model after each part.
 */
import {
  changeColumn,
  createColumns,
  deleteColumn,
  type Json,
  type JsonObject,
} from '../../src/api/index.js';
import { Prng } from '../../src/base/index.js';
import { databaseOf } from '../../src/catalog/index.js';
import { DATABASE_ID, NOW_MS, type TestStore } from '../engine/store.js';
import {
  columnJson,
  type GeneratedColumn,
  type GeneratedSchema,
  generateCountBody,
  generateDelete,
  generateId,
  generateInsert,
  generateSchema,
  generateUpdate,
  jsonObject,
  jsonText,
  num,
} from '../support/generate.js';
import { RowModel } from '../support/model.js';

const ID_COUNT = 400;
const QUERY_OPTIONS = { depthMax: 4, idCount: ID_COUNT, withNow: true };
const BODIES_PER_STEP = 25;

/** A column that retains all generated events until EXPIRY_MS, and from then on only those from 2016-01-04 on. */
const RETAINED: GeneratedColumn = {
  dimension: 'default',
  apiName: 'kept',
  type: 'integer-event',
  storage: null,
  decimalPlaces: 0,
  bounds: [],
  retentionDays: 11_000,
};
export const EXPIRY_MS = NOW_MS + 9_542 * 86_400_000;

/** A dimension that only auto-create creates: the type of each column, and the values from which it is inferred. */
const AUTO_COLUMNS: readonly (readonly [string, string, GeneratedColumn['storage'], Json])[] = [
  ['words', 'string', 'latest-value', 'Straße'],
  ['numbers', 'integer', 'latest-value', num('9223372036854775807')],
  ['amounts', 'decimal', 'latest-value', num('1.5')],
  ['flags', 'boolean', 'latest-value', true],
  ['days', 'date', 'latest-value', '2016-02-29'],
  ['times', 'datetime', 'latest-value', '2016-01-01T03:00:00+03:00'],
  ['word-list', 'string', 'list-of-values', ['red', 'RED', 'wine']],
  ['number-list', 'integer', 'list-of-values', [num(1), num(2)]],
  ['visits', 'string-event', null, [jsonObject({ value: 'home', date: '2016-01-03' })]],
  ['sales', 'decimal-event', null, jsonObject({ value: num('2.25'), date: '2016-01-01' })],
];

const AUTO_FIRST: JsonObject = jsonObject({
  'First-Of-Auto': jsonObject({
    dimension: 'auto',
    ...Object.fromEntries(AUTO_COLUMNS.map(([name, , , value]) => [name, value])),
  }),
});

function withAutoCreate(body: Json): Json {
  return new Map<string, Json>([...(body as JsonObject), ['auto-create', ['dimension', 'column']]]);
}

/** A request that changes data, and its answer. */
export type Step =
  | { readonly kind: 'create-columns' | 'change-column' | 'delete-column'; readonly body: Json }
  | { readonly kind: 'insert'; readonly body: Json; readonly entities: number; readonly values: number }
  | { readonly kind: 'update' | 'delete'; readonly body: JsonObject; readonly count: number };

/** Requests at one time and the model's answers to them. */
export interface RequestedQuery {
  readonly dimensions: readonly string[];
  readonly bodies: readonly Json[];
  readonly counts: readonly string[];
  readonly totals: readonly number[];
  readonly ids: readonly (readonly string[])[];
  readonly found: readonly (readonly boolean[])[];
}

/** The steps of the scenario and the expected answers after them. */
export class Scenario {
  readonly first: readonly Step[];
  readonly later: readonly Step[];
  readonly last: readonly Step[];
  readonly afterFirst: RequestedQuery;
  readonly afterAll: RequestedQuery;
  /** Requests when the clock is at EXPIRY_MS. */
  readonly afterExpiry: RequestedQuery;
  readonly #prng: Prng;
  readonly #model = new RowModel();
  #columns: GeneratedColumn[] = [];
  readonly #asleep = new Set<GeneratedColumn>();

  constructor(seed: number) {
    const prng = new Prng(seed);
    this.#prng = prng;
    const insert = (entityCount: number) => (): Step => this.#insert(entityCount);
    const run = (...makers: (() => Step)[]): Step[] => makers.map((make) => make());
    const [update, erase] = [() => this.#mutate('update'), () => this.#mutate('delete')];
    const [drop, retype] = [() => this.#dropColumn(), () => this.#retypeColumn()];
    const [put, take] = [() => this.#putAside(), () => this.#takeUp()];
    this.first = [
      this.#create([...generateSchema(prng).columns, RETAINED]),
      this.#createByInsert(),
      ...run(insert(1), insert(30), insert(150), update, erase, insert(150), update, update, drop),
      ...run(insert(150), erase, retype, update, put, insert(20), erase),
    ];
    this.afterFirst = this.#query();
    // Empties dimensions, reinserts entities, creates and deletes columns, during a checkpoint and after it.
    this.later = run(
      insert(60),
      update,
      erase,
      retype,
      insert(2),
      update,
      take,
      put,
      drop,
      insert(100),
      erase,
    );
    this.last = run(insert(100), () => this.#clear('auto'), update, erase, take, retype, insert(60), update);
    this.afterAll = this.#query();
    this.#model.expire(EXPIRY_MS);
    this.afterExpiry = this.#query();
  }

  /** The names that requests may use at this step. */
  get #schema(): GeneratedSchema {
    const columns = this.#columns.filter((column) => !this.#asleep.has(column));
    // A dimension may have lost all its columns; then nothing can be inserted there.
    const dimensions = ['default', 'second', 'auto'].filter((name) =>
      columns.some(({ dimension }) => dimension === name),
    );
    return { columns, dimensions, body: columns.map(columnJson) };
  }

  #create(columns: readonly GeneratedColumn[]): Step {
    this.#columns.push(...columns);
    const body = columns.map(columnJson);
    this.#model.createColumns(body);
    return { kind: 'create-columns', body };
  }

  #createByInsert(): Step {
    const columns = AUTO_COLUMNS.map(
      ([apiName, type, storage]): GeneratedColumn => ({
        dimension: 'auto',
        apiName,
        type,
        storage,
        decimalPlaces: type.startsWith('decimal') ? 6 : 0,
        bounds: [],
      }),
    );
    this.#create(columns);
    const answer = this.#model.insert(AUTO_FIRST, NOW_MS);
    return { kind: 'insert', body: withAutoCreate(AUTO_FIRST), ...answer };
  }

  #insert(entityCount: number): Step {
    const body = generateInsert(this.#prng, this.#schema, { entityCount, idCount: ID_COUNT });
    const answer = this.#model.insert(body, NOW_MS);
    return { kind: 'insert', body: this.#prng.chance(0.5) ? withAutoCreate(body) : body, ...answer };
  }

  /** Mostly a request that changes some entity. */
  #mutate(kind: 'update' | 'delete'): Step {
    const generate = kind === 'update' ? generateUpdate : generateDelete;
    for (let tries = 1; ; tries++) {
      const body = generate(this.#prng, this.#schema, QUERY_OPTIONS) as JsonObject;
      const count = this.#model[kind](body, NOW_MS);
      if (count > 0 || tries === 5) return { kind, body, count };
    }
  }

  /** Deletes all entities of a dimension. */
  #clear(dimension: string): Step {
    const all = jsonObject({ 'entity-id': jsonObject({ 'not-equals': 'nobody' }) });
    const body = jsonObject({ dimension, query: [all] });
    return { kind: 'delete', body, count: this.#model.delete(body, NOW_MS) };
  }

  /** Any active column except the one whose events expire. */
  #pick(): GeneratedColumn {
    return this.#prng.pick(this.#schema.columns.filter((column) => column !== RETAINED));
  }

  #dropColumn(): Step {
    const column = this.#pick();
    this.#columns = this.#columns.filter((other) => other !== column);
    const body = jsonObject({ dimension: column.dimension, 'api-name': column.apiName });
    this.#model.deleteColumn(body);
    return { kind: 'delete-column', body };
  }

  /** A column of another kind under the name of a deleted column, or a new column. */
  #retypeColumn(): Step {
    const kinds = this.#columns.map(({ type, storage, decimalPlaces, bounds }) => ({
      type,
      storage,
      decimalPlaces,
      bounds,
    }));
    const taken = new Set(this.#columns.map(({ dimension, apiName }) => `${dimension} ${apiName}`));
    const names = ['integer', 'string', 'boolean', 'date', 'string-list', 'integer-event', 'words', 'visits'];
    const free = ['default', 'auto'].flatMap((dimension) =>
      [...names, `late-${taken.size}`].flatMap((apiName) =>
        taken.has(`${dimension} ${apiName}`) ? [] : [{ dimension, apiName }],
      ),
    );
    return this.#create([{ ...this.#prng.pick(free), ...this.#prng.pick(kinds) }]);
  }

  #activate(column: GeneratedColumn, active: boolean): Step {
    const body = jsonObject({ dimension: column.dimension, 'api-name': column.apiName, active });
    this.#model.changeColumn(body);
    return { kind: 'change-column', body };
  }

  #putAside(): Step {
    const column = this.#pick();
    this.#asleep.add(column);
    return this.#activate(column, false);
  }

  /** Reactivates the column that was deactivated last. */
  #takeUp(): Step {
    const column = [...this.#asleep].at(-1) as GeneratedColumn;
    this.#asleep.delete(column);
    return this.#activate(column, true);
  }

  #query(): RequestedQuery {
    const { dimensions } = this.#schema;
    const bodies = Array.from({ length: BODIES_PER_STEP }, () =>
      generateCountBody(this.#prng, this.#schema, QUERY_OPTIONS),
    );
    const ids = dimensions.map(() =>
      Array.from({ length: 60 }, () => generateId(this.#prng, (ID_COUNT * 3) / 2)),
    );
    return {
      dimensions,
      bodies,
      counts: bodies.map((body) => shown(this.#model.count(body, NOW_MS))),
      totals: [[], ...dimensions.map((name) => [name])].map((names) => this.#model.total(names)),
      ids,
      found: dimensions.map((name, index) => this.#model.exists(ids[index], name)),
    };
  }
}

const shown = (counts: ReadonlyMap<string, number>): string => JSON.stringify([...counts]);

/** The first answer that differs from the model's, or null. */
export async function firstDifference(store: TestStore, requested: RequestedQuery): Promise<string | null> {
  for (const [index, body] of requested.bodies.entries()) {
    const found = shown(await store.count(body));
    if (found !== requested.counts[index])
      return `${jsonText(body)}: ${found} instead of ${requested.counts[index]}`;
  }
  for (const [index, names] of [[], ...requested.dimensions.map((name) => [name])].entries()) {
    const total = await store.total(names);
    if (total !== requested.totals[index]) {
      return `total of [${names}]: ${total} instead of ${requested.totals[index]}`;
    }
  }
  for (const [index, name] of requested.dimensions.entries()) {
    const found = await store.exists(requested.ids[index], name);
    const wrong = found.findIndex((one, at) => one !== requested.found[index][at]);
    if (wrong >= 0) return `${requested.ids[index][wrong]} in ${name}: ${found[wrong]}`;
  }
  return null;
}

/** Performs the steps in order. Rejects at the first step whose answer differs from the model's. */
export async function perform(store: TestStore, steps: readonly Step[]): Promise<void> {
  const check = (step: Step, found: unknown, expected: unknown): void => {
    if (JSON.stringify(found) === JSON.stringify(expected)) return;
    const text = jsonText(step.body).slice(0, 2000);
    throw new Error(`${step.kind} ${text}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  };
  for (const step of steps) {
    switch (step.kind) {
      case 'insert':
        check(step, await store.insert(step.body), { entityCount: step.entities, valueCount: step.values });
        break;
      case 'update':
      case 'delete': {
        const dimension = (step.body.get('dimension') as string | undefined) ?? 'default';
        const query = step.body.get('query') as Json;
        check(step, await store.mutate(query, step.body.get('set') ?? null, { dimension }), step.count);
        break;
      }
      default: {
        const decide = {
          'create-columns': createColumns,
          'change-column': changeColumn,
          'delete-column': deleteColumn,
        };
        await store.engine.change((catalog) =>
          decide[step.kind](step.body, databaseOf(catalog, DATABASE_ID)),
        );
      }
    }
  }
}
