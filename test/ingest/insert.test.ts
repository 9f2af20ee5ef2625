import t, { type Test } from 'tap';
import { Prng } from '../../src/base/index.js';
import { createIngestScratch, type ParsedInsert, parseInsert } from '../../src/ingest/index.js';
import { compileKernels } from '../../src/kernels/index.js';
import { wasmBytes } from '../kernels/twin-arena.js';
import {
  BodyWriter,
  column,
  dimension,
  modelOf,
  NOW_MS,
  sampleModel,
  someColumnIds,
} from '../support/ingest/ingest-bodies.js';
import { differenceOf } from '../support/ingest/ingest-compare.js';
import { ingestOracle } from '../support/ingest/ingest-oracle.js';

const SEED = 20_260_201;
const BODY_COUNT = 6_000;

t.test('generated bodies, valid and invalid, get the oracle’s answer on 1, 2 and 5 shards', (t) => {
  const random = new Prng(SEED);
  const production = sampleModel();
  const scratches = [createIngestScratch(compileKernels(wasmBytes())), createIngestScratch(null)];
  const seenCodes = new Map<number, number>();
  let acceptedCount = 0;
  for (let index = 0; index < BODY_COUNT; index++) {
    const text = new BodyWriter(random, production, random.pick([0, 0.005, 0.02])).body();
    const bytes = new TextEncoder().encode(text);
    const columnIds = someColumnIds(random, production);
    const base = { model: production, nowMs: NOW_MS, customKey: random.chance(0.03), columnIds };
    const expected = ingestOracle(bytes, base);
    for (const shardCount of [1, 2, 5]) {
      const outcome = parseInsert(bytes, { ...base, shardCount }, scratches[index % 2]);
      const got = 'error' in outcome ? outcome.error.code : 'accepted';
      const wanted = 'code' in expected ? expected.code : 'accepted';
      let difference = got === wanted ? null : `got ${got}, wanted ${wanted}`;
      if ('parsed' in outcome && 'result' in expected)
        difference ??= differenceOf(outcome.parsed, expected.result, shardCount);
      if (difference !== null) {
        t.fail(`seed ${SEED}, body ${index}, ${shardCount} shards: ${difference}`, { text, outcome });
        t.end();
        return;
      }
    }
    if ('code' in expected) seenCodes.set(expected.code, (seenCodes.get(expected.code) ?? 0) + 1);
    else acceptedCount++;
  }
  t.ok(acceptedCount > BODY_COUNT / 3, `${acceptedCount} bodies were accepted`);
  const codes = [
    505, 506, 511, 2002, 2003, 2004, 2005, 2006, 2007, 2008, 2009, 2010, 2011, 2014, 2015, 2016, 2017, 2018,
    2022,
  ];
  for (const code of [...codes, 2001, 2019, 2020, 3007, 5008, 5009])
    t.ok(seenCodes.has(code), `some body was refused with ${code}`);
  t.end();
});

/** Parses and compares with the oracle; all calls share `scratch`. */
const shared = createIngestScratch();
function accepted(t: Test, body: string, model = sampleModel(), shardCount = 2): ParsedInsert {
  const bytes = new TextEncoder().encode(body);
  const context = { model, nowMs: NOW_MS, customKey: false, columnIds: null };
  const outcome = parseInsert(bytes, { ...context, shardCount }, shared);
  const expected = ingestOracle(bytes, context);
  if ('error' in outcome || 'code' in expected) throw new Error(`${body.slice(0, 200)} was refused`);
  t.equal(differenceOf(outcome.parsed, expected.result, shardCount), null, body.slice(0, 80));
  return outcome.parsed;
}

t.test('counts: every latest value, list item and event counts, a null does not', (t) => {
  const counts = (body: string): [number, number] => {
    const { entityCount, valueCount } = accepted(t, body);
    return [entityCount, valueCount];
  };
  t.same(counts('{}'), [0, 0]);
  t.same(counts(' {\n} '), [0, 0]);
  t.same(counts('{"u":{"country":"x","a-integer":null}}'), [1, 1]);
  t.same(counts('{"u":{"list-of-integer-values":[1,2,3]},"v":{"list-of-integer-values":[]}}'), [2, 3]);
  t.same(counts('{"u":{"list-of-integer-values":null}}'), [1, 0]);
  t.same(
    counts('{"u":{"string-event":[{"value":"a"},{"value":"a"}]},"v":{"string-event":{"value":"b"}}}'),
    [2, 3],
  );
  t.same(counts('{"u":{"string-event":[]}}'), [1, 0]);
  t.same(counts('{"u":{"country":"x","country":"y"}}'), [1, 2]);
  t.end();
});

t.test('the last value of a column named twice counts, and the events of both are kept', (t) => {
  accepted(t, '{"u":{"country":"x","country":"y"}}');
  accepted(t, '{"u":{"country":"x","country":null}}');
  accepted(t, '{"u":{"country":null,"country":"x"}}');
  accepted(t, '{"u":{"country":"a","country":null,"country":"b","country":null,"country":null}}');
  accepted(
    t,
    '{"u":{"country":"a"},"v":{"country":null},"w":{"country":null,"country":"c"}}',
    sampleModel(),
    1,
  );
  accepted(t, '{"u":{"list-of-string-values":["a","b"],"list-of-string-values":["c"]}}');
  accepted(t, '{"u":{"integer-event":{"value":1},"country":"x","integer-event":[{"value":2}]}}');
  accepted(t, '{"u":{"string-event":{"value":"gone","value":"kept"}}}');
  t.end();
});

t.test('a dimension may be anywhere in its entity, and the last one counts', (t) => {
  accepted(
    t,
    '{"u":{"country":"x","dimension":"people"},"v":{"country":"y"},"w":{"dimension":"people","country":"z"}}',
  );
  accepted(t, '{"u":{"dimension":"people","country":"x","dimension":"default"}}');
  accepted(t, '{"u":{"dimension":null,"country":"x","dimension":"people"}}');
  accepted(t, '{"u":{"country":"x"}}');
  t.end();
});

t.test('keys with escapes are equal to the keys that they encode', (t) => {
  accepted(
    t,
    '{"\\u0055ser":{"\\u0063ountry":"x","dimensi\\u006fn":"peo\\u0070le"},"auto-creat\\u0065":["column"]}',
  );
  accepted(t, '{"AUTO-CREATE":{"country":"x"},"auto-creatf":{"country":"x"},"auto-creat":{"country":"x"}}');
  accepted(t, '{"u":{"string-event":{"v\\u0061lue":"x","d\\u0061te":"2026-01-01"}}}');
  t.end();
});

t.test('builders grow to any number of lists, events and texts', (t) => {
  const many = (count: number, of: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => of(index)).join(',');
  const events = `[${many(3000, (index) => `{"value":"event ${index}","date":"2025-01-01"}`)}]`;
  const numbers = `[${many(5000, (index) => String(index * 7919))}]`;
  const flags = `[${many(700, (index) => String(index % 3 === 0))}]`;
  const texts = `[${many(40, (index) => `"${'É'.repeat(1000 - index)}"`)}]`;
  const points = `[${many(300, (index) => `[${index / 2},${index / 10}]`)}]`;
  const columns = `"string-event":${events},"list-of-integer-values":${numbers},"list-of-boolean-values":${flags}`;
  const more = `"list-of-string-values":${texts},"list-of-geolocation-values":${points}`;
  const entities = many(
    999,
    (index) =>
      `"${'long-id-'.repeat(9)}${index}":{"country":"c${index}","a-date":"2026-01-05","a-integer":null}`,
  );
  for (const shardCount of [1, 3])
    accepted(t, `{"u":{${columns},${more}},${entities}}`, sampleModel(), shardCount);
  accepted(t, '{"u":{"country":"x"}}');
  t.end();
});

t.test('one scratch serves models and shard counts in turn without mixing them up', (t) => {
  const one = sampleModel();
  const other = modelOf([
    dimension(9, 'default', [column(70, 'country', 'integer'), column(71, 'zip', 'string')]),
  ]);
  for (let round = 0; round < 3; round++) {
    accepted(t, '{"u":{"country":"x"},"v":{"country":"y","a-integer":1}}', one, 1 + round);
    accepted(t, '{"u":{"zip":"x","country":5},"v":{"country":6}}', other, 3 - round);
    const context = { model: one, nowMs: NOW_MS, customKey: false, columnIds: null, shardCount: 2 };
    t.ok(
      'error' in
        parseInsert(new TextEncoder().encode('{"u":{"country":"z","a-integer":"x"}}'), context, shared),
    );
  }
  t.end();
});

t.test('the result is independent of its body after the parse, and a body may be in shared memory', (t) => {
  const model = sampleModel();
  const text = new TextEncoder().encode('{"u":{"country":"first","integer-event":{"value":1}}}');
  const body = new Uint8Array(new SharedArrayBuffer(text.length));
  body.set(text);
  const context = { model, nowMs: NOW_MS, customKey: false, columnIds: null, shardCount: 1 };
  const outcome = parseInsert(body, context, shared);
  const expected = ingestOracle(body.slice(), context);
  if ('error' in outcome || 'code' in expected) throw new Error('the body was refused');
  body.fill(0x20);
  t.equal(differenceOf(outcome.parsed, expected.result, 1), null);
  t.end();
});
