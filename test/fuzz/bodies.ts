/**
 * Hostile bodies for every endpoint: valid bodies, valid bodies with one fault, and either with changed bytes. Each is
 * answered as the interface defines. A refused body changes nothing. Valid queries in between are answered correctly.
 * At the end of a chunk the store, reopened from its files, gives the same answers as before.
 *   npm run torture -- --what bodies --rounds 2000000 --seed 1
 * Chunks are independent: the seed in a fault report repeats its chunk, and the body is reduced to the smallest one
 * that still fails.
 */
import fc from 'fast-check';
import { MODEL } from '../conformance/codes/codes-bodies.js';
import type { Tree } from '../conformance/codes/codes-swaps.js';
import type { Torture } from '../crash/history/torture-options.js';
import { type FaultyDisk, faultyDisk } from '../support/faulty-disk.js';
import type { ApiRequest } from '../support/json-client.js';
import { judged } from './answers.js';
import { mutated, mutationArb, textOf, wrongArb } from './damage.js';
import { caseData, type ValidRequest, validRequests } from './grammar.js';
import { type InProcessRequest, InProcessServer, type NearAnswer } from './in-process-server.js';

const CHUNK = 5_000;
const GOOD_EVERY = 25;
const SHARDS = 3;
const ALL_TIME = ['1990-01-01', '2100-01-01'];
const STEADY = 'steady-rows';
const STEADY_COUNT = 30;
const WATCHED = ['default', 'folk', 'edges', STEADY];

export interface FuzzCounts {
  bodies: number;
  accepted: number;
  refused: number;
  /** Number of valid queries sent in between. */
  good: number;
  slowestMs: number;
  slowest: string;
  readonly codes: Map<number, number>;
  readonly faults: string[];
}

export const noCounts = (): FuzzCounts => ({
  ...{ bodies: 0, accepted: 0, refused: 0, good: 0, slowestMs: 0, slowest: '' },
  codes: new Map(),
  faults: [],
});

export interface HostileRequest extends ValidRequest {
  readonly bytes: Uint8Array;
  readonly prepared: boolean;
  readonly pathText: string;
  readonly cutAt: number;
  readonly headers: Readonly<Record<string, string>>;
}

const PATH_NAMES = [
  'changed',
  'made',
  '__proto__',
  'constructor',
  '%2e%2e%2f',
  '%00',
  '%ff',
  '%',
  'x'.repeat(300),
  '%C3%A9',
];
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'idempotency-key': 'once' },
  { 'idempotency-key': '__proto__' },
  { 'idempotency-key': 'x'.repeat(256) },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'br' },
  { 'content-type': 'application/json; charset=utf-8' },
  { accept: 'application/x-ndjson;q=0, */*' },
];

export const hostileArb: fc.Arbitrary<HostileRequest> = fc
  .record({
    good: validRequests(),
    wrong: fc.option(wrongArb, { freq: 3 }),
    mutations: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(mutationArb, { minLength: 1, maxLength: 3 }) },
    ),
    prepared: fc.integer({ min: 0, max: 3 }).map((chance) => chance === 0),
    name: fc.option(fc.constantFrom(...PATH_NAMES), { freq: 2 }),
    cutAt: fc.oneof(fc.constant(0), fc.nat(300)),
    headers: fc.oneof(
      { weight: 9, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constantFrom(...HEADERS) },
    ),
  })
  .map(({ good, wrong, mutations, prepared, name, cutAt, headers }) => ({
    ...good,
    bytes: mutated(Buffer.from(textOf(good.body, wrong)), mutations),
    prepared,
    pathText: name === null ? good.path : good.path.replace(/\/saved\/.*/, `/saved/${name}`),
    cutAt,
    headers,
  }));

const jsonOf = (body: unknown): Uint8Array => Buffer.from(JSON.stringify(body));

async function send(
  server: InProcessServer,
  { method, path, body }: ApiRequest,
  who: ValidRequest['who'],
): Promise<NearAnswer | null> {
  const bytes = body === undefined ? Buffer.alloc(0) : jsonOf(body);
  const [verb, key] = [method ?? (body === undefined ? 'GET' : 'POST'), server.keys[who]];
  return server.request({ method: verb, path, key, body: bytes });
}

/** Like `send`, for requests that must be accepted. */
async function succeed(server: InProcessServer, request: ApiRequest): Promise<unknown> {
  const answer = await send(server, request, 'master');
  const text = answer?.body.toString('utf8') ?? 'no answer';
  if (answer?.status !== 200) throw new Error(`${request.path}: ${text}`);
  return JSON.parse(text);
}

/** The files of a store with the columns and rows that the bodies refer to. */
export async function makeWorld(seed: number): Promise<FaultyDisk> {
  const disk = faultyDisk({ seed });
  const server = await InProcessServer.open(disk, seed, SHARDS);
  for (const request of MODEL) await succeed(server, request);
  for (const { columns, insert } of caseData()) {
    await succeed(server, { path: '/v1/column', body: columns });
    await succeed(server, { path: '/v1/insert', body: insert });
  }
  const columns = [{ name: 'n', type: 'integer', dimension: STEADY }];
  await succeed(server, { path: '/v1/dimension', body: { name: STEADY, 'api-name': STEADY } });
  await succeed(server, { path: '/v1/column', body: columns });
  const rows = Array.from({ length: STEADY_COUNT }, (_, n) => [`s${n}`, { dimension: STEADY, n }]);
  await succeed(server, { path: '/v1/insert', body: Object.fromEntries(rows) });
  await server.close();
  return disk;
}

const lean = (text: string): string => text.replace(/"took":[\d.]+/g, '"took":0');

/** Checks the answer to a query for rows that no body changes. */
async function checkGood(server: InProcessServer, turn: number): Promise<void> {
  const below = turn % STEADY_COUNT;
  const body = [
    { 'query-name': 'good', dimension: STEADY, query: [{ n: { lt: below } }], 'bypass-cache': true },
  ];
  const answer = (await succeed(server, { path: '/v1/query/count/entity', body })) as {
    readonly result?: unknown;
  };
  if (JSON.stringify(answer.result) !== `{"good":${below}}`)
    throw new Error(`a valid query: ${JSON.stringify(answer)}`);
}

interface ListedColumn {
  readonly 'api-name': string;
  readonly type: string;
}

type ListedColumns = Readonly<Record<string, { readonly active?: readonly ListedColumn[] }>>;

const LISTS: readonly (readonly [who: ValidRequest['who'], path: string])[] = [
  ['master', '/v1/dimension'],
  ['master', '/v1/column'],
  ['master', '/v1/column/relation'],
  ['master', '/v1/query/saved'],
  ['master', '/v1/query/count/entity/total'],
  ['team', '/v1/database/custom_key'],
];

/** The whole state that the store reports, as text. */
async function stateOf(server: InProcessServer): Promise<string> {
  const lines: string[] = [];
  const note = async (request: ApiRequest, who: ValidRequest['who']): Promise<string> => {
    const text = lean((await send(server, request, who))?.body.toString('utf8') ?? '');
    lines.push(text);
    return text;
  };
  for (const [who, path] of LISTS) await note({ path }, who);
  const columns = JSON.parse(lines[1]) as ListedColumns;
  for (const dimension of WATCHED) {
    const active = columns[dimension]?.active ?? [];
    const events = active.filter(({ type }) => type.endsWith('-event'));
    const body = allRows(dimension, active);
    await note({ path: '/v1/data_extraction/result', body }, 'master');
    for (const event of events) {
      const query = [{ [event['api-name']]: 'count-events', between: ALL_TIME }];
      await note(
        { path: '/v1/query/aggregation', body: { dimension, query, 'bypass-cache': true } },
        'master',
      );
    }
  }
  return lines.join('\n');
}

/** A query for all entities of a dimension with some of their columns. */
function allRows(dimension: string, active: readonly ListedColumn[]): Tree {
  const columns = active
    .filter(({ type }) => !type.endsWith('-event') && type !== 'unique-id')
    .map((column) => column['api-name'])
    .slice(0, 9);
  return {
    dimension,
    query: ['not', { 'entity-id': { equals: 'nobody at all' } }],
    columns: ['entity-id', ...columns],
    order: [{ 'entity-id': 'asc' }],
    limit: 1_000,
  };
}

export const shown = ({ method, pathText, bytes }: HostileRequest): string => {
  const text = Buffer.from(bytes).toString('latin1');
  return `${method} ${pathText} ${JSON.stringify(text.length > 600 ? `${text.slice(0, 600)}… (${text.length} bytes)` : text)}`;
};

/** Sends one body; throws an Error that describes a wrong answer. */
async function tryOne(server: InProcessServer, request: HostileRequest, counts: FuzzCounts): Promise<void> {
  if (request.prepared) for (const before of request.before) await send(server, before, request.who);
  const { method, pathText: path, who, bytes: body, cutAt, headers } = request;
  const sent = { method, path, key: server.keys[who], body, cutAt, headers };
  await tryRequest(server, sent, () => shown(request), counts);
  if (counts.bodies % GOOD_EVERY === 0) {
    counts.good++;
    await checkGood(server, counts.bodies);
  }
}

/** Sends one request and counts it. Throws an Error that describes a wrong answer or a wrong effect. */
export async function tryRequest(
  server: InProcessServer,
  request: InProcessRequest,
  shownText: () => string,
  counts: FuzzCounts,
): Promise<void> {
  const mark = server.mark();
  const beginMs = performance.now();
  const answer = await server.request(request);
  const ms = performance.now() - beginMs;
  if (ms > counts.slowestMs) [counts.slowestMs, counts.slowest] = [ms, shownText()];
  counts.bodies++;
  if (server.faults.length > 0) throw new Error(server.faults.splice(0).join('; '));
  if (answer === null) throw new Error('the connection was closed');
  const contentType = answer.headers.get('content-type') ?? '';
  const { fault, code } = judged({ status: answer.status, contentType, body: answer.body });
  if (fault !== null) throw new Error(fault);
  if (server.engine.stats().workerRestartCount > 0) throw new Error('a worker ended');
  if (code === null) counts.accepted++;
  else {
    counts.refused++;
    counts.codes.set(code, (counts.codes.get(code) ?? 0) + 1);
    if (!(await server.isUntouched(mark))) throw new Error(`refused with ${code}, but it changed the store`);
  }
}

/** The first difference of two texts; null if they are equal. */
function firstUnlike(a: string, b: string): string | null {
  if (a === b) return null;
  const at = Array.from(a).findIndex((letter, index) => letter !== b[index]);
  const from = Math.max(0, at - 100);
  return `${a.slice(from, from + 300)}\nbut ${b.slice(from, from + 300)}`;
}

/** Sends `count` bodies to one store, and reopens the store afterwards. */
async function runChunk(world: FaultyDisk, count: number, seed: number, counts: FuzzCounts): Promise<void> {
  const disk = world.afterKill({ seed });
  const server = await InProcessServer.open(disk, seed, null);
  const property = fc.asyncProperty(hostileArb, (request) => tryOne(server, request, counts));
  const outcome = await fc.check(property, { seed, numRuns: count });
  if (outcome.failed) {
    const [request] = outcome.counterexample ?? [];
    const cause = outcome.errorInstance instanceof Error ? outcome.errorInstance.message : '';
    counts.faults.push(`seed ${seed}: ${request === undefined ? '' : shown(request)}: ${cause}`);
    return;
  }
  const lived = await stateOf(server);
  const again = await InProcessServer.open(disk.afterKill({ seed }), seed, null);

  const unlike = firstUnlike(lived, await stateOf(again));
  if (unlike !== null) counts.faults.push(`seed ${seed}: another state after a new start: ${unlike}`);
  await again.close();
  await server.close();
}

/** Runs `count` bodies in chunks; `seed` is the seed of the first chunk. Stops at a fault if requested. */
export async function runBodies(count: number, seed: number, chunk = CHUNK): Promise<FuzzCounts> {
  const counts = noCounts();
  const world = await makeWorld(seed);
  for (let index = 0; index * chunk < count; index++) {
    await runChunk(world, Math.min(chunk, count - index * chunk), seed + index, counts).catch((error) =>
      counts.faults.push(`seed ${seed + index}: ${error instanceof Error ? error.stack : error}`),
    );
  }
  return counts;
}

/** The counts of a run as a line. */
export function summaryOf({
  bodies,
  accepted,
  refused,
  good,
  codes,
  slowestMs,
  slowest,
}: FuzzCounts): string {
  const all = [...codes].sort(([a], [b]) => a - b).map(([code, count]) => `${code}: ${count}`);
  return (
    `${bodies} bodies, ${accepted} accepted, ${refused} refused, ${good} good queries between, ` +
    `${codes.size} codes (${all.join(', ')}), slowest ${Math.round(slowestMs)} ms: ${slowest.slice(0, 300)}`
  );
}

/** Runs `rounds` bodies. Returns whether there was no error. */
export const fuzzBodies: Torture = async ({ rounds, seed }) => {
  const startedAt = performance.now();
  const counts = await runBodies(rounds, seed);
  for (const fault of counts.faults) console.log(fault);
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(
    `${summaryOf(counts)}; ${Math.round(seconds)} s, ${Math.round(counts.bodies / seconds)} bodies/s, ${counts.faults.length} faults`,
  );
  return counts.faults.length === 0;
};
