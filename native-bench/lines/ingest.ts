/**
 * The ingest line: inserts the same rows in the same order into a new server over HTTP and HTTPS and into new tables of
 * the other databases, in alternating rounds. The server fsyncs every write before it answers, and the load generator uses
 * the same cores; the others fsync nothing, read from memory or a file, and have all cores.
 */
import type { Bench } from '../bench.js';
import { generatePeople, writeBodies } from '../data/bodies.js';
import { writePeopleNdjson } from '../data/peers.js';
import { countryName, People, pageName, peopleColumns } from '../data/people.js';
import { spawnLoad } from '../load/job.js';
import { type Spread, spreadOf } from '../measure.js';
import { expectedOf } from '../oracle.js';
import { CLICKHOUSE_WAYS } from '../peers/clickhouse.js';
import { DUCKDB_WAYS } from '../peers/duckdb.js';
import type { PeerProcess } from '../peers/process.js';
import { QUESTIONS } from '../questions.js';
import { QuarryServer } from '../server/quarry.js';
import type { Table, TableCell } from '../table.js';
import { threadsNote } from './threads.js';

interface Run {
  readonly entitiesPerSecond: number;
  readonly megabytesPerSecond: number;
  readonly cpuSecondsPerMillion: number;
  /** Of the main thread; null for other databases. */
  readonly mainSecondsPerMillion: number | null;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly fsyncsPerSecond: number | null;
}

interface Contender {
  readonly name: string;
  run(): Promise<Run>;
}

/** The data that every database loads. */
interface Files {
  readonly warmBodies: string;
  readonly bodies: string;
  readonly warmLines: string;
  readonly lines: string;
  /** JSON of `bodies`. */
  readonly byteCount: number;
}

/** Checks after every load; the generator determines the first and the second answer. */
interface Checks {
  readonly entityCount: number;
  readonly inCountry: number;
  readonly visitedPage: number;
}

const COUNTRY = countryName(2);
const PAGE = pageName(4);
const YEAR = ['2024-01-01', '2024-12-31T23:59:59Z'];

function writeFiles({ dir, scale }: Bench, people: People): Files {
  const [warm, all] = [scale.ingestWarmEntities, scale.ingestWarmEntities + scale.ingestEntities];
  const files = {
    warmBodies: `${dir}/warm.bodies`,
    bodies: `${dir}/ingest.bodies`,
    warmLines: `${dir}/warm.ndjson`,
    lines: `${dir}/ingest.ndjson`,
  };
  writeBodies(files.warmBodies, generatePeople(people, 0, warm));
  const byteCount = writeBodies(files.bodies, generatePeople(people, warm, all));
  writePeopleNdjson(people, 0, warm, files.warmLines);
  writePeopleNdjson(people, warm, all, files.lines);
  return { ...files, byteCount };
}

function checksOf(people: People, entityCount: number): Checks {
  const counts = [
    {
      name: 'country',
      counts: (block: ReturnType<People['block']>, index: number) => block.country[index] === 2,
    },
    {
      name: 'page',
      counts: ({ visit }: ReturnType<People['block']>, index: number) =>
        visit.values.subarray(visit.offsets[index], visit.offsets[index + 1]).includes(4),
    },
  ].map(({ name, counts }) => ({ ...QUESTIONS[0], name, variants: [{ body: '', sql: '', counts }] }));
  const [{ answers }] = expectedOf(people, counts, [entityCount]);
  return {
    entityCount,
    inCountry: answers.get('country')?.[0] as number,
    visitedPage: answers.get('page')?.[0] as number,
  };
}

async function runQuarry(
  bench: Bench,
  files: Files,
  checks: Checks,
  secure: boolean,
  connections: number,
): Promise<Run> {
  const { scale } = bench;
  const server = bench.keep(await QuarryServer.start(bench.newDir(), scale.workers[0]));
  await server.createColumns(peopleColumns('ingest'));
  const target = server.target('/v1/insert', secure);
  await spawnLoad({ target, connections, bodies: { kind: 'file', file: files.warmBodies } });
  const [cpuBefore, before] = [server.cpuSeconds(), await server.metrics()];
  const mainBefore = server.mainCpuSeconds();
  const load = await spawnLoad({ target, connections, bodies: { kind: 'file', file: files.bodies } });
  const [cpuAfter, mainAfter] = [server.cpuSeconds(), server.mainCpuSeconds()];
  const after = await server.metrics();
  bench.checked(load.requests);
  const fsyncs =
    (after.get('quarry_log_fsyncs_total') as number) - (before.get('quarry_log_fsyncs_total') as number);
  const question = (...query: unknown[]): string =>
    JSON.stringify([{ 'query-name': 'q', query, 'bypass-cache': true }]);
  const found: Checks = {
    entityCount: await server.countAll(),
    inCountry: await server.count(question({ country: { equals: COUNTRY } })),
    visitedPage: await server.count(question({ visit: { equals: PAGE, between: YEAR } })),
  };
  bench.check(`Quarry after the load over ${secure ? 'HTTPS' : 'HTTP'}`, found, checks);
  await bench.close(server);
  return {
    ...load,
    cpuSecondsPerMillion: ((cpuAfter - cpuBefore) / load.entities) * 1e6,
    mainSecondsPerMillion: ((mainAfter - mainBefore) / load.entities) * 1e6,
    fsyncsPerSecond: fsyncs / load.seconds,
  };
}

const PEER_CHECKS = {
  DuckDB: `list_contains(list_transform(visit, one -> one.value), '${PAGE}')`,
  ClickHouse: `has(visit.value, '${PAGE}')`,
} as const;

async function runPeer(
  bench: Bench,
  peer: PeerProcess,
  way: string,
  files: Files,
  checks: Checks,
): Promise<Run> {
  const { seconds, cpuSeconds } = await peer.ingest(way, files.warmLines, files.lines);
  const found: Checks = {
    entityCount: await peer.query('SELECT count(*) FROM ingested'),
    inCountry: await peer.query(`SELECT count(*) FROM ingested WHERE country = '${COUNTRY}'`),
    visitedPage: await peer.query(`SELECT count(*) FROM ingested WHERE ${PEER_CHECKS[peer.name]}`),
  };
  bench.check(`${peer.name} after the load`, found, checks);
  const { ingestEntities } = bench.scale;
  return {
    entitiesPerSecond: ingestEntities / seconds,
    megabytesPerSecond: files.byteCount / 1e6 / seconds,
    cpuSecondsPerMillion: (cpuSeconds / ingestEntities) * 1e6,
    mainSecondsPerMillion: null,
    p50Ms: null,
    p99Ms: null,
    fsyncsPerSecond: null,
  };
}

function contendersOf(bench: Bench, files: Files, checks: Checks): Contender[] {
  const [usual, ...others] = bench.scale.connections;
  const quarry = (secure: boolean, connections: number): Contender => ({
    name: `Quarry, ${secure ? 'HTTPS' : 'HTTP'}, fsync, ${connections} connections`,
    run: () => runQuarry(bench, files, checks, secure, connections),
  });
  const peers = bench.peers.flatMap((peer) =>
    (peer.name === 'ClickHouse' ? CLICKHOUSE_WAYS : DUCKDB_WAYS).map((way) => ({
      name: `${peer.name}, ${way}`,
      run: () => runPeer(bench, peer, way, files, checks),
    })),
  );
  return [
    quarry(false, usual),
    quarry(true, usual),
    ...others.map((connections) => quarry(false, connections)),
    ...peers,
  ];
}

const KEYS = [
  'entitiesPerSecond',
  'megabytesPerSecond',
  'p50Ms',
  'p99Ms',
  'fsyncsPerSecond',
  'cpuSecondsPerMillion',
] as const satisfies readonly (keyof Run)[];

/** null if the contender has no such value. */
function spreadOfKey(runs: readonly Run[], key: keyof Run): Spread | null {
  const values = runs.map((run) => run[key]).filter((value) => value !== null);
  return values.length === 0 ? null : spreadOf(values);
}

/** The fastest way of a peer. */
function bestOf(name: string, ways: readonly (readonly Run[])[]): { name: string; spread: Spread } {
  const spreads = ways.map((runs) => spreadOfKey(runs, 'entitiesPerSecond') as Spread);
  return { name, spread: spreads.reduce((best, one) => (one.median > best.median ? one : best)) };
}

export async function ingestLine(bench: Bench): Promise<Table> {
  const { scale } = bench;
  const people = new People(bench.seed, 'ingest');
  bench.say('ingest: writing the rows');
  const files = writeFiles(bench, people);
  const checks = checksOf(people, scale.ingestWarmEntities + scale.ingestEntities);
  const contenders = contendersOf(bench, files, checks);
  const runs = contenders.map((): Run[] => []);
  for (let round = 0; round < scale.ingestRounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const index = (turn + round) % contenders.length;
      bench.say(`ingest, round ${round + 1} of ${scale.ingestRounds}: ${contenders[index].name}`);
      runs[index].push(await contenders[index].run());
    }
  }
  const first = spreadOfKey(runs[0], 'entitiesPerSecond') as Spread;
  const peersOf = contenders.map(({ name }) => bench.peers.find((peer) => name.startsWith(peer.name)));
  for (const [index, { name }] of contenders.entries()) {
    if (peersOf[index] !== undefined) continue;
    bench.compare({
      line: 'ingest',
      name: name.replace('Quarry, ', ''),
      unit: 'entities/s',
      better: 'more',
      quarry: spreadOfKey(runs[index], 'entitiesPerSecond') as Spread,
      p99: spreadOfKey(runs[index], 'p99Ms'),
      peers: bench.peers.map((peer) =>
        bestOf(
          peer.name,
          runs.filter((_, at) => peersOf[at] === peer),
        ),
      ),
      ofMemory: null,
    });
  }
  return {
    line: 'ingest',
    title: `Ingest of ${scale.ingestEntities.toLocaleString('en-US')} entities with 5 attributes and 2 events, ${Math.round(files.byteCount / scale.ingestEntities)} bytes of JSON each, bodies of 1,000`,
    columns: ['', 'entities/s', 'MB/s', 'p50 ms', 'p99 ms', 'fsyncs/s', 'CPU s per million', 'of HTTP'],
    rows: contenders.map(({ name }, index): TableCell[] => {
      const spreads = KEYS.map((key) => spreadOfKey(runs[index], key));
      return [name, ...spreads, (spreads[0] as Spread).median / first.median];
    }),
    notes: [
      `medians [least..most] of ${scale.ingestRounds} alternating rounds; p50 and p99 of a body's answer`,
      'CPU seconds are those of the server process; its load generator ran on the same cores',
      ...contenders.flatMap(({ name }, index) => {
        const main = spreadOfKey(runs[index], 'mainSecondsPerMillion');
        const all = spreadOfKey(runs[index], 'cpuSecondsPerMillion') as Spread;
        return main === null ? [] : [threadsNote(name, { main: main.median, all: all.median })];
      }),
    ],
  };
}
