/**
 * The load line: concurrent clients. Measures small counts from many connections, cached and uncached, and counts during
 * inserts at a steady pace. Everything is over HTTPS, with the load generators on the same cores.
 */
import type { Bench } from '../bench.js';
import { generatePeople, repeatBody, writeBodies } from '../data/bodies.js';
import { BLOCK_ENTITIES, countryName, People, peopleColumns } from '../data/people.js';
import { spawnLoad } from '../load/job.js';
import { type Check, type LoadResult, runLoad } from '../load/load.js';
import { type Spread, spreadOf } from '../measure.js';
import { expectedOf } from '../oracle.js';
import { QUESTIONS } from '../questions.js';
import { QuarryServer } from '../server/quarry.js';
import type { Table, TableCell } from '../table.js';

const COUNT = '/v1/query/count/entity';
const COUNTRY = 2;
const WANTED = { remembered: 20_000, worked: 3_000, pacedP99Ms: 10 } as const;

const question = (bypass: boolean): string =>
  JSON.stringify([
    {
      'query-name': 'q',
      query: [{ country: { equals: countryName(COUNTRY) } }],
      ...(bypass ? { 'bypass-cache': true } : {}),
    },
  ]);

/** People of the country among the first `entityCount`. */
function inCountry(people: People, entityCount: number): number {
  const [{ answers }] = expectedOf(people, [QUESTIONS[0]], [entityCount]);
  return answers.get(QUESTIONS[0].name)?.[0] as number;
}

/** Requires HTTP 200 and a count between these bounds. */
const checkBetween =
  (least: number, most: number): Check =>
  ({ status, body }) => {
    const count = Number(/"q": ?(\d+)/.exec(body)?.[1]);
    return status === 200 && count >= least && count <= most ? null : `HTTP ${status}: ${body}`;
  };

interface Loads {
  readonly remembered: LoadResult[];
  readonly worked: LoadResult[];
}

async function timeLoads(bench: Bench, server: QuarryServer, answer: number): Promise<Loads> {
  const { loadRequests, loadConnections, ingestRounds } = bench.scale;
  const loads: Loads = { remembered: [], worked: [] };
  for (let round = 0; round < ingestRounds; round++) {
    bench.say(`load, round ${round + 1} of ${ingestRounds}`);
    for (const kind of ['remembered', 'worked'] as const) {
      const bodies = {
        ...{ kind: 'repeat' as const, body: question(kind === 'worked') },
        ...{ times: loadRequests, expected: `"q":${answer}}` },
      };
      const target = server.target(COUNT, true);
      loads[kind].push(await spawnLoad({ target, connections: loadConnections, bodies }));
      bench.checked(loadRequests);
    }
  }
  return loads;
}

interface Paced {
  readonly entitiesPerSecond: number;
  readonly counts: LoadResult;
}

/** Sends counts over one connection while the people of `file` are inserted at the pace of the scale. */
async function timePaced(
  bench: Bench,
  server: QuarryServer,
  file: string,
  [least, most]: readonly [number, number],
): Promise<Paced> {
  const perSecond = bench.scale.pacedEntitiesPerSecond / BLOCK_ENTITIES;
  const connections = bench.scale.connections[0];
  const target = server.target('/v1/insert', true);
  let over = false;
  const inserts = spawnLoad({ target, connections, bodies: { kind: 'file', file }, perSecond }).finally(
    () => {
      over = true;
    },
  );
  const body = { bytes: Buffer.from(question(true)), entityCount: 0 };
  const source = { next: () => (over ? null : body), close: () => {} };
  const [inserted, counts] = await Promise.all([
    inserts,
    runLoad(server.target(COUNT, true), source, 1, checkBetween(least, most)),
  ]);
  bench.checked(inserted.requests + counts.requests);
  return { entitiesPerSecond: inserted.entitiesPerSecond, counts };
}

export async function loadLine(bench: Bench): Promise<Table> {
  const { scale } = bench;
  const people = new People(bench.seed, 'ingest');
  const [entityCount] = scale.sizes;
  const pacedCount = scale.pacedEntitiesPerSecond * scale.pacedSeconds;
  bench.say('load: writing the rows');
  const ends = Array.from({ length: scale.ingestRounds + 1 }, (_, round) => entityCount + round * pacedCount);
  const files = ends.map((end, at) => {
    const file = `${bench.dir}/load-${at}.bodies`;
    writeBodies(file, generatePeople(people, at === 0 ? 0 : ends[at - 1], end));
    return file;
  });
  const answers = ends.map((end) => inCountry(people, end));
  const server = bench.keep(await QuarryServer.start(bench.newDir(), scale.workers[0]));
  await server.createColumns(peopleColumns('ingest'));
  const target = server.target('/v1/insert', false);
  await spawnLoad({ target, connections: scale.connections[0], bodies: { kind: 'file', file: files[0] } });
  const warm = repeatBody(Buffer.from(question(true)), scale.countsPerRound);
  await runLoad(server.target(COUNT, true), warm, 1, checkBetween(answers[0], answers[0]));
  const { remembered, worked } = await timeLoads(bench, server, answers[0]);
  const paced: Paced[] = [];
  for (let round = 1; round < files.length; round++) {
    bench.say(`load, paced round ${round} of ${scale.ingestRounds}`);
    paced.push(await timePaced(bench, server, files[round], [answers[round - 1], answers[round]]));
  }
  bench.check('people at the end', await server.countAll(), ends[ends.length - 1]);
  await bench.close(server);
  const rate = (loads: readonly LoadResult[]): Spread =>
    spreadOf(loads.map((load) => load.requestsPerSecond));
  const times = (loads: readonly LoadResult[]): [Spread, Spread] => [
    spreadOf(loads.map(({ p50Ms }) => p50Ms)),
    spreadOf(loads.map(({ p99Ms }) => p99Ms)),
  ];
  const pacedCounts = paced.map(({ counts }) => counts);
  const rows: TableCell[][] = [
    ['cached counts', rate(remembered), WANTED.remembered, ...times(remembered), null],
    ['uncached counts', rate(worked), WANTED.worked, ...times(worked), null],
    ['consecutive counts during inserts', rate(pacedCounts), null, ...times(pacedCounts), WANTED.pacedP99Ms],
    [
      '  those entities',
      spreadOf(paced.map((one) => one.entitiesPerSecond)),
      scale.pacedEntitiesPerSecond,
      null,
      null,
      null,
    ],
  ];
  return {
    line: 'load',
    title: `Load over HTTPS on ${entityCount.toLocaleString('en-US')} entities, ${scale.loadConnections} connections, ${scale.workers[0]} workers`,
    columns: ['', 'a second', 'wanted', 'p50 ms', 'p99 ms', 'wanted p99'],
    rows,
    notes: [
      'the question is a string equality; the load generators ran on the same cores',
      `medians [least..most] of ${scale.ingestRounds} rounds of ${scale.loadRequests.toLocaleString('en-US')} requests, or of ${scale.pacedSeconds} s`,
    ],
  };
}
