/**
 * The project's own conformance cases, on 1, 2 and 7 shards, with the SIMD kernels and with their TypeScript twins.
 * Their queries are sent to the server that received the data and the operations, and to servers restarted on that
 * data.
 */
import path from 'node:path';
import t from 'tap';
import { difference, member, objectOf, parseText } from '../support/conformance-json.js';
import { ConformanceServer } from '../support/conformance-server.js';
import { ROOT } from '../tidy/source.js';
import { type Case, dataOf, ENDPOINTS, load, operate, query, readCases } from './runner.js';

const casesIn = (stem: string): Case[] =>
  readCases(path.join(ROOT, `test/conformance/cases/${stem}.json`), 'in order');
const counts = casesIn('count-entity');
/** Kinds of cases whose queries count entities. */
const changes = ['update', 'delete', 'relation'].map(casesIn);
const COUNT = '/v1/query/count/entity';
/** Cases by endpoint. */
const queries: ReadonlyMap<string, readonly Case[]> = new Map([
  [COUNT, [counts, ...changes].flat()],
  ...['aggregation', 'count-event', 'top-values', 'result', 'score'].map(
    (stem) => [ENDPOINTS[stem.replace('-', '_')].query, casesIn(stem)] as const,
  ),
]);
interface Question {
  readonly urlPath: string;
  readonly one: Case;
}
const all: readonly Question[] = [...queries].flatMap(([urlPath, cases]) =>
  cases.map((one) => ({ urlPath, one })),
);
/** Cases that are not refused. Refusals do not depend on the data. */
const answered = all.filter(
  ({ one: { expected } }) => member(objectOf(expected, 'expected'), 'errors') === undefined,
);
/** Minimum number of cases of an endpoint. */
const LEAST = 120;

t.setTimeout(290_000);

t.test('answers are compared by the rules of their case', async (t) => {
  const differs = (expected: string, actual: string): boolean =>
    difference(parseText(expected), parseText(actual)) !== null;
  t.notOk(differs('{"took":"ignore","a":1}', '{"a":1,"more":2}'), 'the outermost object may hold more');
  t.ok(differs('{"a":{"b":1}}', '{"a":{"b":1,"c":2}}'), 'nested objects may not have further keys');
  t.ok(differs('{"a":[{"b":1}]}', '{"a":[{"b":1,"c":2}]}'), 'nor may rows');
  t.ok(differs('{"a":{"b":1}}', '{"a":{}}'), 'no key may be missing');
  const strictly = (expected: string, actual: string): boolean => {
    const how = { lists: 'in order', numbers: 'to the digit' } as const;
    return difference(parseText(expected), parseText(actual), how) !== null;
  };
  t.ok(strictly('{"a":[1,2,2]}', '{"a":[2,1,2]}'), 'if order counts, lists are compared in order');
  t.notOk(strictly('{"a":[1,2,2]}', '{"a":[1,2,2]}'));
  t.ok(strictly('{"a":[1,2,2]}', '{"a":[1,2]}'));
  t.ok(strictly('{"a":0.3}', '{"a":0.30000000000000004}'), 'and floats are compared to the digit');
  t.notOk(differs('{"a":[1,2,2]}', '{"a":[2,1,2]}'), 'lists compare without order');
  t.ok(differs('{"a":[1,2,2]}', '{"a":[1,1,2]}'), 'but with multiplicity');
  t.ok(differs('{"a":1}', '{"a":1.0}'), 'an integer does not equal a float');
  t.ok(differs('{"a":1.0}', '{"a":1}'), 'a float does not equal an integer');
  t.ok(differs('{"a":9007199254740993}', '{"a":9007199254740992}'), 'integers are exact');
  t.notOk(differs('{"a":0.3}', '{"a":0.30000000000000004}'), 'floats are near');
  t.ok(differs('{"a":0.3}', '{"a":0.3000001}'), 'but only within the tolerance');
  t.ok(differs('{"a":"1"}', '{"a":1}'), 'a text does not equal a number');
});

t.test('there are enough cases, with unique names, and counts name the counted entities', async (t) => {
  for (const [urlPath, cases] of queries) t.ok(cases.length >= LEAST, `${cases.length} cases of ${urlPath}`);
  for (const cases of changes) t.ok(cases.length >= 15, `${cases.length} cases of changes`);
  for (const cases of queries.values()) {
    t.equal(new Set(cases.map(({ name }) => name)).size, cases.length);
    for (const { name, matches, expected } of cases) {
      if (matches === null) continue;
      const named = parseText(`{"status":"success","result":{"q":${matches.length}},"took":"ignore"}`);
      t.equal(difference(named, expected), null, name);
    }
  }
});

const CONNECTIONS = 8;

/** The cases of `questions` with an unexpected answer, and the difference of each. */
async function failures(
  questions: readonly Question[],
  answerOf: (question: Question) => Promise<string | null>,
): Promise<string[]> {
  const found: string[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < questions.length) {
      const question = questions[next++];
      const differs = await answerOf(question);
      if (differs !== null) found.push(`${question.urlPath}, ${question.one.name}: ${differs}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, run));
  return found;
}

/**
 * Number of shards, and the kernels of the new server, of the one restarted from its log, and of the one restarted from
 * a snapshot; how the threads exchange rows.
 */
const LIVES = [
  [1, 'SIMD', 'SIMD', 'TypeScript', {}],
  [2, 'TypeScript', 'TypeScript', 'SIMD', { exchange: 'bytes' }],
  [7, 'SIMD', 'TypeScript', 'SIMD', {}],
] as const;

for (const [life, [shards, first, fromLog, fromSnapshot, exchange]] of LIVES.entries()) {
  t.test(`on ${shards} shards every case is answered as expected`, async (t) => {
    const server = await ConformanceServer.start(first === 'SIMD', { workers: 2, shards, ...exchange });
    t.teardown(() => server.stop());
    const answerOf = ({ urlPath, one }: Question): Promise<string | null> => query(server, urlPath, one);
    /** All layouts together run each case once after a start from a log, and once from a snapshot. */
    const part = (of: number): Question[] => answered.filter((_, index) => (index + of) % LIVES.length === 0);
    for (const data of dataOf(all.map(({ one }) => one))) await load(server, data);
    t.strictSame(await failures(all, ({ one }) => operate(server, one)), [], 'operations');
    // A refusal does not depend on data, so it runs once.
    t.strictSame(
      await failures(life === 0 ? all : answered, answerOf),
      [],
      `initially, with ${first} kernels`,
    );
    await server.restartFromLog(fromLog === 'SIMD');
    t.strictSame(await failures(part(life), answerOf), [], `from the log, with ${fromLog} kernels`);
    await server.restart(fromSnapshot === 'SIMD');
    t.strictSame(
      await failures(part(life + 1), answerOf),
      [],
      `from a snapshot, with ${fromSnapshot} kernels`,
    );
  });
}
