/** Repeated bodies: the cached binding equals a fresh one at any time. */
import t from 'tap';
import { bindCountEntity, FULL_ACCESS, parseJson } from '../../../src/api/index.js';
import { type BindingTime, Prng, QuarryError, readTime } from '../../../src/base/index.js';
import type { SavedQuery } from '../../../src/catalog/index.js';
import { BoundBodies } from '../../../src/http/endpoints/bound-bodies.js';
import { type Column, type DatabaseModel, ENTITY_ID, newDimension } from '../../../src/schema/index.js';

const SEED = 77_031;
t.comment(`seed ${SEED}`);

const NOW_MS = Date.UTC(2018, 5, 30, 12);
const DAY_MS = 86_400_000;

const column = (id: number, apiName: string, type: Column['type']): Column => ({
  ...ENTITY_ID,
  ...{ id, name: apiName, apiName, type, storage: type.endsWith('-event') ? null : 'latest-value' },
});

function modelOf(id: number): DatabaseModel {
  const dimension = newDimension({ id: 1, apiName: 'default' });
  const columns = new Map(dimension.columns);
  columns.set('age', column(1, 'age', 'integer'));
  columns.set('visit', column(2, 'visit', 'string-event'));
  return {
    ...{ id, name: `d${id}`, type: 'production', version: 1, shrinkVersion: 1 },
    ...{ nextDimensionId: 2, nextColumnId: 3, textCase: 'fold' as const },
    dimensions: new Map([['default', { ...dimension, columns }]]),
  };
}

const WINDOWS: readonly unknown[] = [
  ['2018-01-01', '2018-02-01'],
  ['now', '-3d'],
  ['today'],
  ['2018-05-01', 'now'],
  ['2018-05-01', '+9d'],
];

function bodyOf(prng: Prng): Uint8Array<ArrayBuffer> {
  const query = prng.chance(0.3)
    ? [{ age: { equals: prng.below(3) } }]
    : [{ visit: { equals: `p${prng.below(2)}`, between: prng.pick(WINDOWS) } }];
  return new TextEncoder().encode(JSON.stringify([{ 'query-name': 'q', query }]));
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part));

t.test('a repeated body is bound like a new one at every time and on every model', async (t) => {
  const prng = new Prng(SEED);
  const bodies = new BoundBodies();
  const models = [modelOf(1), modelOf(2)];
  let bindings = 0;
  for (let round = 0; round < 3_000; round++) {
    const body = bodyOf(prng);
    const model = prng.pick(models);
    const nowMs = NOW_MS + prng.between(-2, 2) * DAY_MS + prng.below(5);
    const bind = (atMs: BindingTime) => {
      bindings++;
      return [model.id, bindCountEntity(parseJson(body), model, atMs, FULL_ACCESS)];
    };
    const bound = bodies.bind({ body, model, access: FULL_ACCESS, nowMs }, 'count', bind);
    t.equal(textOf(bound), textOf(bind(nowMs)));
  }
  t.ok(
    bindings - 3_000 < 2_400,
    `bodies that do not depend on the time are not bound again: ${bindings - 3_000}`,
  );
});

t.test('the cached binding is returned as the same object, and only for the same endpoint', async (t) => {
  const bodies = new BoundBodies();
  const call = { body: Buffer.from('{}'), model: modelOf(1), access: FULL_ACCESS, nowMs: NOW_MS };
  const bind = (endpoint: string): object => bodies.bind(call, endpoint, () => ({ endpoint }));
  const first = bind('a');
  const second = bind('a');
  t.not(second, first);
  t.equal(bind('a'), second);
  t.strictSame(bind('b'), { endpoint: 'b' });
});

t.test(
  'a body whose validity depends on the time, a long body and a body of a restricted key are bound again',
  async (t) => {
    const bodies = new BoundBodies();
    const call = { body: Buffer.from('{}'), model: modelOf(1), access: FULL_ACCESS, nowMs: NOW_MS };
    const early = (time: BindingTime): object => {
      if (readTime(time) > NOW_MS + 1000) throw new QuarryError(4053);
      return {};
    };
    for (let time = 0; time < 4; time++)
      t.not(bodies.bind(call, 'early', early), bodies.bind(call, 'early', early));
    t.throws(() => bodies.bind({ ...call, nowMs: NOW_MS * 2 }, 'early', early), { code: 4053 });
    for (const other of [
      { ...call, body: Buffer.alloc(5_000) },
      { ...call, access: { ...FULL_ACCESS } },
    ]) {
      bodies.bind(other, 'c', () => ({}));
      bodies.bind(other, 'c', () => ({}));
      t.not(
        bodies.bind(other, 'c', () => ({})),
        bodies.bind(other, 'c', () => ({})),
      );
    }
  },
);

t.test('a body is bound again after a change of the saved queries', async (t) => {
  const bodies = new BoundBodies();
  const call = { body: Buffer.from('{}'), model: modelOf(1), access: FULL_ACCESS, nowMs: NOW_MS };
  const bind = (savedQueries: ReadonlyMap<string, SavedQuery>): object =>
    bodies.bind({ ...call, savedQueries }, 'sql', () => ({}));
  const [before, after] = [new Map(), new Map()];
  bind(before);
  const bound = bind(before);
  t.equal(bind(before), bound);
  const boundAgain = bind(after);
  t.not(boundAgain, bound);
  t.equal(bind(after), boundAgain);
});

t.test('the number of cached bodies is bounded', async (t) => {
  const bodies = new BoundBodies();
  const model = modelOf(1);
  let bindings = 0;
  const bind = (index: number): void => {
    const body = Buffer.from(String(index));
    bodies.bind({ body, model, access: FULL_ACCESS, nowMs: NOW_MS }, 'c', () => ++bindings > 0);
  };
  for (let index = 0; index < 501; index++) for (let time = 0; time < 3; time++) bind(index);
  const before = bindings;
  bind(500);
  t.equal(bindings, before, 'the newest body is cached');
  bind(0);
  t.equal(bindings, before + 1, 'the oldest body is not cached');
});
