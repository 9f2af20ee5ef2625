/**
 * A body that is bound without reading the time has the same binding at every other time. Every relative date reads the
 * time.
 */
import t from 'tap';
import {
  bindAggregation,
  bindCountEntity,
  bindCountEvent,
  bindTopValues,
  FULL_ACCESS,
  type Json,
  parseJson,
} from '../../src/api/index.js';
import { type BindingTime, ObservedTime, Prng, QuarryError } from '../../src/base/index.js';
import { generateCountBody, generateSchema, jsonText } from '../support/generate.js';
import { generateAggregation, generateCountEvents, generateTopValues } from '../support/generate-queries.js';
import { MODEL, NOW_MS, NOW_SECONDS, WEEK_TEXT } from './aggregates.js';
import { json, modelWith } from './databases.js';

const SEED = 5_120;
t.comment(`seed ${SEED}`);

/** A difference that changes every part of a date. */
const OTHER_TIME_MS = (400 * 24 + 5) * 3_600_000 + 123_456;
const OTHER_TIMES_MS = [NOW_MS + OTHER_TIME_MS, NOW_MS - OTHER_TIME_MS];

interface Bound {
  readonly text: string;
  readonly wasRead: boolean;
}

function boundAt(bind: (time: BindingTime) => unknown, ms: number): Bound {
  const time = new ObservedTime(ms);
  let bound: unknown;
  try {
    bound = bind(time);
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    bound = { refused: error.code };
  }
  const text = JSON.stringify(bound, (_, part) => (typeof part === 'bigint' ? `${part}n` : part));
  return { text, wasRead: time.wasRead };
}

t.test('generated bodies that are bound without the time do not depend on it', async (t) => {
  const prng = new Prng(SEED);
  let read = 0;
  let unread = 0;
  const check = (body: Json, bind: (body: Json, time: BindingTime) => unknown): void => {
    const parsed = parseJson(new TextEncoder().encode(jsonText(body)));
    const at = (ms: number) => boundAt((time) => bind(parsed, time), ms);
    const now = at(NOW_MS);
    if (now.wasRead) read++;
    else unread++;
    for (const otherMs of now.wasRead ? [] : OTHER_TIMES_MS) {
      const other = at(otherMs);
      if (other.text !== now.text) t.equal(other.text, now.text, `seed ${SEED}: ${jsonText(body)}`);
    }
  };
  for (let round = 0; round < 40; round++) {
    const schema = generateSchema(prng);
    const model = modelWith(schema.body);
    const world = { schema, idCount: 60, startSeconds: Math.floor(NOW_SECONDS / 3_600) * 3_600 };
    for (let query = 0; query < 15; query++) {
      const options = { depthMax: 3, idCount: 60, withNow: true };
      check(generateCountBody(prng, schema, options), (body, time) =>
        bindCountEntity(body, model, time, FULL_ACCESS),
      );
      check(generateCountEvents(prng, world, 3), (body, time) =>
        bindCountEvent(body, model, time, FULL_ACCESS),
      );
      check(generateAggregation(prng, world), (body, time) =>
        bindAggregation(body, model, time, FULL_ACCESS),
      );
      check(generateTopValues(prng, world, 2), (body, time) => bindTopValues(body, model, time, FULL_ACCESS));
    }
  }
  t.ok(read > 100, `${read} bodies read the time`);
  t.ok(unread > 100, `${unread} bodies do not`);
});

const countEntities = (between: string) => (time: BindingTime) =>
  bindCountEntity(
    json(`[{"query-name":"q","query":[{"ie":{"equals":5,"between":${between}}}]}]`),
    MODEL,
    time,
    FULL_ACCESS,
  );
const countEvents = (interval: string) => (time: BindingTime) => {
  const from = new Date((NOW_SECONDS - 60) * 1000).toISOString();
  const query = `[{"ie":{"gt":1,"between":["${from}","+1min"]}}]`;
  return bindCountEvent(
    json(`{"query-name":"q","query":${query},"interval":"${interval}"}`),
    MODEL,
    time,
    FULL_ACCESS,
  );
};
const aggregation = (between: string) => (time: BindingTime) =>
  bindAggregation(
    json(`{"dimension":"default","query":[{"de":"sum","between":[${between}]}]}`),
    MODEL,
    time,
    FULL_ACCESS,
  );
const topValues = (between: string) => (time: BindingTime) =>
  bindTopValues(json(`{"q":{"dimension":"default","ie":3,"between":${between}}}`), MODEL, time, FULL_ACCESS);

const RELATIVE = ['["today"]', '["now","-3d"]', '["2018-05-01","now"]', '["now","2050-01-01"]'];
const ABSOLUTE = [WEEK_TEXT, '["2018-05-01","+9d"]'];

t.test('each relative date reads the time, and no absolute one does', async (t) => {
  for (const [between, expected] of [
    ...RELATIVE.map((text) => [text, true] as const),
    ...ABSOLUTE.map((text) => [text, false] as const),
  ]) {
    for (const bind of [countEntities, aggregation, topValues]) {
      t.equal(boundAt(bind(between), NOW_MS).wasRead, expected, `${bind.name} ${between}`);
    }
  }
});

t.test('an interval that is only for the recent past reads the time', async (t) => {
  for (const interval of ['seconds', 'minutes', 'hours']) {
    t.equal(boundAt(countEvents(interval), NOW_MS).wasRead, true, interval);
  }
  for (const interval of ['days', 'weeks', 'months']) {
    t.equal(boundAt(countEvents(interval), NOW_MS).wasRead, false, interval);
  }
});
