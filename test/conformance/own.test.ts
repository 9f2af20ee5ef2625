/**
 * The project's own conformance cases, asked four times: with the SIMD kernels and with their TypeScript twins, of
 * the server that took the data in and of servers started again from its log and from its snapshot.
 */
import path from 'node:path';
import t from 'tap';
import { difference, parseText } from '../support/conformance-json.js';
import { ConformanceServer } from '../support/conformance-server.js';
import { ROOT } from '../tidy/source.js';
import { dataOf, load, query, readCases } from './runner.js';

const cases = readCases(path.join(ROOT, 'test/conformance/cases/count-entity.json'));

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

t.test('the cases are at least 120, differ in name, and count whom they name', async (t) => {
  t.ok(cases.length >= 120, `${cases.length} cases`);
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
    for (const data of dataOf(cases)) await load(server, data);
    /** Every case that is not answered as expected, with what differs. */
    const failures = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const one of cases) {
        const differs = await query(server, 'count_entity', one);
        if (differs !== null) found.push(`${one.name}: ${differs}`);
      }
      return found;
    };
    t.strictSame(await failures(), [], 'at first');
    await server.restart();
    t.strictSame(await failures(), [], 'after a restart from the log');
    await server.checkpoint();
    await server.restart();
    t.strictSame(await failures(), [], 'after a restart from a snapshot');
  });
}
