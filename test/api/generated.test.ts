import t from 'tap';
import {
  bindAggregation,
  bindCountEntity,
  bindCountEvent,
  bindTopValues,
  FULL_ACCESS,
  isList,
  isObject,
  type Json,
  parseJson,
} from '../../src/api/index.js';
import { Prng, QuarryError } from '../../src/base/index.js';
import { countMatches, type StoredData, store } from '../ir/evaluate.js';
import { generateCountBody, generateInsert, generateSchema, jsonText } from '../support/generate.js';
import { RowModel } from '../support/model.js';
import { MODEL, WEEK_TEXT } from './aggregates.js';
import { json, modelWith } from './databases.js';

const NOW_MS = Date.UTC(2018, 5, 30, 12, 34, 56, 789);
const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);

/** The body after serialization and parsing. */
function overTheWire(body: Json): Json {
  return parseJson(new TextEncoder().encode(jsonText(body)));
}

for (const seed of SEEDS) {
  t.test(
    `bound conditions answer generated queries as the row-at-a-time model does, seed ${seed}`,
    async (t) => {
      const prng = new Prng(seed);
      const schema = generateSchema(prng);
      const model = modelWith(schema.body);
      const rows = new RowModel();
      rows.createColumns(schema.body);
      rows.createDimension('second');
      const data: StoredData = new Map();
      for (let round = 0; round < 6; round++) {
        const body = overTheWire(generateInsert(prng, schema, { entityCount: 30, idCount: 60 }));
        rows.insert(body, NOW_MS);
        store(data, body, model, NOW_MS);
      }
      let matched = 0;
      for (let round = 0; round < 120; round++) {
        const options = { depthMax: 4, idCount: 60, withNow: true };
        const body = overTheWire(generateCountBody(prng, schema, options));
        const counts = rows.count(body, NOW_MS);
        for (const { name, dimensionId, condition } of bindCountEntity(body, model, NOW_MS, FULL_ACCESS)) {
          const found = countMatches(data, dimensionId, condition);
          if (found !== counts.get(name)) t.equal(found, counts.get(name), `${name} of ${jsonText(body)}`);
          if (found > 0) matched++;
        }
      }
      t.ok(matched > 100, `${matched} queries matched something`);
    },
  );
}

const BOX = '{"lower-left":{"longitude":0,"latitude":0},"upper-right":{"longitude":2,"latitude":1}}';
const RADIUS = `{"longitude":1,"latitude":2,"radius":3,"unit":"km","between":${WEEK_TEXT}}`;
const LEVELS = `[{"text":3,"contains":["a"]},{"int":4,"range":[[1,2],[3,4]],"gt":[1]},{"ge":5,"geo_radius":[${RADIUS}]},
  {"geo":6,"geo_bounding_box":${BOX}},{"de":"sum","between":[${WEEK_TEXT}]}]`;
const EVENTS = `[[{"ie":{"equals":5,"in":[1,2],"between":${WEEK_TEXT}}}]]`;

/** A valid body of each kind, and the function that binds it. */
const BODIES = [
  [
    'count/event',
    `[{"query-name":"a","dimension":null,"query":${EVENTS},"interval":"days","bypass-cache":true}]`,
  ],
  [
    'aggregation',
    `{"dimension":"default","filter":[{"int":{"gt":1}},"and",["not",{"text":{"equals":"x"}}]],"query":${LEVELS}}`,
  ],
  ['aggregation', `{"query":{"ie":"avg","between":${WEEK_TEXT},"interval":"weeks","equals":["1"]}}`],
  [
    'top_values',
    `{"bypass-cache":false,"a":{"te":5,"between":${WEEK_TEXT},"minfreq":2,"not-in":["x"]},"b":{"bool":2}}`,
  ],
] as const;
const BINDERS = {
  'count/event': bindCountEvent,
  aggregation: bindAggregation,
  top_values: bindTopValues,
};
const STRANGERS =
  json(`[null,true,0,-1,1001,2.5,1e400,"","x","and","not","min","2016-02-30","-5xyz","__proto__",[],[[]],
  ["and"],[null],[[1,2],"x"],{},{"x":1},{"__proto__":5},{"text":5},{"text":{"equals":"x"}}]`) as readonly Json[];

/** Every body that differs from `json` in one place: the value there is replaced, doubled or removed. */
function* damaged(json: Json): Generator<Json> {
  yield* STRANGERS;
  if (isList(json)) {
    for (let index = 0; index < json.length; index++) {
      for (const item of damaged(json[index])) yield json.with(index, item);
      yield json.toSpliced(index, 1);
      yield json.toSpliced(index, 0, json[index]);
    }
  }
  if (!isObject(json)) return;
  for (const [key, value] of json) {
    const without = new Map([...json].filter(([other]) => other !== key));
    yield without;
    for (const other of ['', 'text', 'ie', 'nowhere', 'equals', '__proto__'])
      yield new Map([...without, [other, value]]);
    for (const member of damaged(value)) yield new Map([...json, [key, member]]);
  }
}

t.test('a body that is damaged in one place is bound, or refused with a code of queries', async (t) => {
  const codes = new Map<number, number>();
  let boundCount = 0;
  for (const [type, text] of BODIES) {
    const bind = BINDERS[type];
    t.ok(bind(json(text), MODEL, NOW_MS, FULL_ACCESS), `${type} unchanged`);
    for (const body of damaged(json(text))) {
      try {
        bind(body, MODEL, NOW_MS, FULL_ACCESS);
        boundCount++;
      } catch (error) {
        if (!(error instanceof QuarryError)) t.fail(`${jsonText(body)}: ${error}`);
        else codes.set(error.code, (codes.get(error.code) ?? 0) + 1);
      }
    }
  }
  t.comment([...codes].map(([code, count]) => `${code}: ${count}`).join(', '));
  t.ok(boundCount > 100, `${boundCount} were bound`);
  t.ok(codes.size > 20, `${codes.size} codes`);
  t.strictSame(
    [...codes.keys()].filter((code) => code < 4000 || code >= 6000),
    [],
  );
});
