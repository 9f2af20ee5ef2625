/**
 * The project's own conformance cases, with the SIMD kernels and with their TypeScript twins: their queries are asked
 * of the server that took the data and the operations in, and of servers started again on it.
 */
import path from 'node:path';
import t from 'tap';
import { difference, parseText } from '../support/conformance-json.js';
import { ConformanceServer } from '../support/conformance-server.js';
import { ROOT } from '../tidy/source.js';
import { type Case, dataOf, load, operate, query, readCases } from './runner.js';

const casesIn = (stem: string): Case[] => readCases(path.join(ROOT, `test/conformance/cases/${stem}.json`));
const counts = casesIn('count-entity');
const changes = ['update', 'delete', 'relation'].map(casesIn);
/** All of them count entities in the end. */
const COUNT = '/v1/query/count/entity';

t.setTimeout(180_000);

t.test('answers are compared as cases mean it', async (t) => {
  const differs = (expected: string, actual: string): boolean =>
    difference(parseText(expected), parseText(actual)) !== null;
  t.notOk(differs('{"took":"ignore","a":1}', '{"a":1,"more":2}'), 'the outermost object may hold more');
  t.ok(differs('{"a":{"b":1}}', '{"a":{"b":1,"c":2}}'), 'objects inside may not');
  t.ok(differs('{"a":[{"b":1}]}', '{"a":[{"b":1,"c":2}]}'), 'nor may rows');
  t.ok(differs('{"a":{"b":1}}', '{"a":{}}'), 'nothing may be missing');
  t.notOk(differs('{"a":[1,2,2]}', '{"a":[2,1,2]}'), 'lists compare without order');
  t.ok(differs('{"a":[1,2,2]}', '{"a":[1,1,2]}'), 'but with multiplicity');
  t.ok(differs('{"a":1}', '{"a":1.0}'), 'an integer is no float');
  t.ok(differs('{"a":1.0}', '{"a":1}'), 'a float is no integer');
  t.ok(differs('{"a":9007199254740993}', '{"a":9007199254740992}'), 'integers are exact');
  t.notOk(differs('{"a":0.3}', '{"a":0.30000000000000004}'), 'floats are near');
  t.ok(differs('{"a":0.3}', '{"a":0.3000001}'), 'but not far');
  t.ok(differs('{"a":"1"}', '{"a":1}'), 'a text is no number');
});

t.test('the cases are enough, differ in name, and count whom they name', async (t) => {
  t.ok(counts.length >= 120, `${counts.length} cases of counts`);
  for (const cases of changes) t.ok(cases.length >= 15, `${cases.length} cases of changes`);
  const cases = [counts, ...changes].flat();
  t.equal(new Set(cases.map(({ name }) => name)).size, cases.length);
  for (const { name, matches, expected } of cases) {
    if (matches === null) continue;
    const named = parseText(`{"status":"success","result":{"q":${matches.length}},"took":"ignore"}`);
    t.equal(difference(named, expected), null, name);
  }
});

for (const kernels of ['SIMD', 'TypeScript'] as const) {
  t.test(`with ${kernels} kernels every case is answered as expected`, async (t) => {
    const server = await ConformanceServer.start(kernels === 'SIMD');
    t.teardown(() => server.stop());
    const cases = [counts, ...changes].flat();
    for (const data of dataOf(cases)) await load(server, data);
    /** Every case whose question is not answered as expected, with what differs. */
    const failures = async (ask: (one: Case) => Promise<string | null>): Promise<string[]> => {
      const found: string[] = [];
      for (const one of cases) {
        const differs = await ask(one);
        if (differs !== null) found.push(`${one.name}: ${differs}`);
      }
      return found;
    };
    const asked = (one: Case): Promise<string | null> => query(server, COUNT, one);
    t.strictSame(await failures((one) => operate(server, one)), [], 'operations');
    t.strictSame(await failures(asked), [], 'at first');
    await server.restart();
    t.strictSame(await failures(asked), [], 'after a restart');
    await server.checkpoint();
    await server.restart();
    t.strictSame(await failures(asked), [], 'after a restart from a snapshot');
  });
}
