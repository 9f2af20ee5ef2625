/**
 * The sql line: SELECTs of POST /v1/sql over HTTPS with keep-alive, compared with the same in process in DuckDB, and a
 * SELECT whose many rows are streamed. Answers of SQL are not cached, so no cache is bypassed.
 */
import type { Bench } from '../bench.js';
import { repeatBody } from '../data/bodies.js';
import {
  COUNTRIES_DIMENSION,
  countriesBody,
  generateLabels,
  LABELS_DIMENSION,
  labelColumns,
  writeLabelsCsv,
} from '../data/labels.js';
import { BLOCK_ENTITIES } from '../data/people.js';
import { Connection } from '../load/connection.js';
import { Downloader } from '../load/download.js';
import { checkInsert, runLoad } from '../load/load.js';
import { spreadOf } from '../measure.js';
import type { PeerProcess } from '../peers/process.js';
import type { QuarryServer } from '../server/quarry.js';
import { SQL_QUESTIONS, type SqlJudge } from '../sql-questions.js';
import { STREAM_FORMATS, STREAMED_COLUMNS, streamError, streamedSql } from '../sql-streams.js';
import type { Table, TableCell } from '../table.js';
import { PeerComparison } from './peer-comparison.js';
import type { Prepared } from './store.js';

const SQL = '/v1/sql';
const timeless = (body: string): string => body.replace(/,"took":[^,}]*/g, '');
const wordsOf = (sql: string): string => sql.replaceAll(/\s+/g, ' ');

/** The server and the peers hold the people of the last step; at the end the server holds nothing else. */
export async function sqlLine(
  bench: Bench,
  server: QuarryServer,
  prepared: Prepared,
  peers: readonly PeerProcess[],
): Promise<Table[]> {
  bench.say('sql: loading things and countries');
  await loadLabels(bench, server, peers);
  const tables = [
    await answersTable(bench, server, prepared, peers),
    await streamsTable(bench, server, prepared),
  ];
  for (const dimension of [LABELS_DIMENSION, COUNTRIES_DIMENSION]) await server.deleteDimension(dimension);
  return tables;
}

async function loadLabels(bench: Bench, server: QuarryServer, peers: readonly PeerProcess[]): Promise<void> {
  const { things, connections } = bench.scale;
  await server.createColumns(labelColumns);
  const target = server.target('/v1/insert', false);
  await runLoad(target, generateLabels(things), connections[0], checkInsert);
  const connection = await Connection.open(target);
  const countries = countriesBody();
  const wrong = checkInsert(await connection.post(countries.bytes), countries);
  connection.close();
  if (wrong !== null) throw new Error(wrong);
  const files = writeLabelsCsv(things, bench.dir);
  const tables = { [LABELS_DIMENSION]: files.things, [COUNTRIES_DIMENSION]: files.countries };
  for (const [table, file] of Object.entries(tables)) {
    for (const peer of peers) await peer.loadTexts(table, file);
  }
}

/** The judges of all questions, after a walk over all people. */
function judgesOf(bench: Bench, { people, steps }: Prepared): SqlJudge[] {
  bench.say('sql: computing the expected answers');
  const judges = SQL_QUESTIONS.map(({ judge }) => judge(bench.scale.things));
  const { entityCount } = steps[steps.length - 1].expected;
  for (let at = 0; at < entityCount; at += BLOCK_ENTITIES) {
    const block = people.block(at / BLOCK_ENTITIES);
    for (const judge of judges) judge.see(block);
  }
  return judges;
}

/** The checked answer of each question. */
async function firstAnswers(
  bench: Bench,
  server: QuarryServer,
  judges: readonly SqlJudge[],
): Promise<string[]> {
  const answers: string[] = [];
  const connection = await Connection.open(server.target(SQL, true));
  for (const [index, { name, sql }] of SQL_QUESTIONS.entries()) {
    const { status, body } = await connection.post(Buffer.from(sql));
    if (status !== 200) throw new Error(`${name}: HTTP ${status}, ${body}`);
    const fault = judges[index].fault((JSON.parse(body) as { result: Record<string, unknown>[] }).result);
    if (fault !== null) throw new Error(`${name}: ${fault}`);
    bench.checked(1);
    answers.push(body);
  }
  connection.close();
  return answers;
}

interface Times {
  readonly p50s: number[];
  readonly p99s: number[];
  readonly cpuMs: number[];
}

async function answersTable(
  bench: Bench,
  server: QuarryServer,
  prepared: Prepared,
  peers: readonly PeerProcess[],
): Promise<Table> {
  const { scale } = bench;
  const { expected } = prepared.steps[prepared.steps.length - 1];
  const judges = judgesOf(bench, prepared);
  const firstNumbers = judges.map((judge) => judge.first());
  const answers = await firstAnswers(bench, server, judges);
  const times = SQL_QUESTIONS.map((): Times => ({ p50s: [], p99s: [], cpuMs: [] }));
  const comparison = SQL_QUESTIONS.map(() => new PeerComparison(bench));
  for (let round = 0; round < scale.countRounds; round++) {
    bench.say(`sql, round ${round + 1} of ${scale.countRounds}`);
    for (const [index, { sql, peerSql }] of SQL_QUESTIONS.entries()) {
      await timeAnswers(bench, server, sql, answers[index], times[index]);
      await comparison[index].query(peerSql, firstNumbers[index]);
    }
  }
  for (const [index, { name }] of SQL_QUESTIONS.entries()) {
    const { p50s, p99s } = times[index];
    comparison[index].compare({ line: 'sql', name }, spreadOf(p50s), spreadOf(p99s));
  }
  const rows = SQL_QUESTIONS.map(({ name, wantedMs }, index): TableCell[] => {
    const [p50, p99, cpuMs] = [times[index].p50s, times[index].p99s, times[index].cpuMs].map(spreadOf);
    const peerTimes = comparison[index].spreads;
    const ratios = peerTimes.map(({ median }) => `${(median / p50.median).toFixed(1)}x`);
    return [name, p50, p99, wantedMs, cpuMs, ...peerTimes, ...ratios];
  });
  return {
    line: 'sql',
    title: `SELECT over ${expected.entityCount.toLocaleString('en-US')} entities (${scale.things.toLocaleString('en-US')} things), HTTPS end to end, 1 connection, ${scale.workers[0]} workers; the others in process`,
    columns: [
      '',
      'p50 ms',
      'p99 ms',
      'wanted p50 at 10 M',
      'server CPU ms',
      ...peers.map((peer) => `${peer.name} ms`),
      ...peers.map((peer) => `${peer.name} takes`),
    ],
    rows,
    notes: [
      ...SQL_QUESTIONS.map(({ name, sql }) => `${name}: ${wordsOf(sql)}`),
      `medians [least..most] over ${scale.countRounds} alternating rounds of ${scale.selectsPerRound} requests (${scale.peerCountsPerRound} for the others)`,
    ],
  };
}

async function timeAnswers(
  bench: Bench,
  server: QuarryServer,
  sql: string,
  first: string,
  times: Times,
): Promise<void> {
  const { selectsPerRound } = bench.scale;
  const right = timeless(first);
  const cpuBefore = server.cpuSeconds();
  const { p50Ms, p99Ms } = await runLoad(
    server.target(SQL, true),
    repeatBody(Buffer.from(sql), selectsPerRound),
    1,
    ({ status, body }) =>
      status === 200 && timeless(body) === right ? null : `HTTP ${status}: ${body.slice(0, 1_000)}`,
  );
  times.cpuMs.push(((server.cpuSeconds() - cpuBefore) * 1000) / selectsPerRound);
  bench.checked(selectsPerRound);
  times.p50s.push(p50Ms);
  times.p99s.push(p99Ms);
}

async function streamsTable(bench: Bench, server: QuarryServer, prepared: Prepared): Promise<Table> {
  const { scale } = bench;
  const { entityCount } = prepared.steps[prepared.steps.length - 1].expected;
  const rowCount = Math.min(scale.streamedRows, entityCount);
  const sql = streamedSql(rowCount);
  const downloader = new Downloader(server.target(SQL, true));
  const byteCounts: number[] = [];
  for (const { name, accept, read } of STREAM_FORMATS) {
    bench.say(`sql: reading ${name}`);
    const { body } = await downloader.get(sql, accept);
    const fault = streamError(read(body), rowCount, prepared.people);
    if (fault !== null) throw new Error(`${name}: ${fault}`);
    bench.checked(rowCount);
    byteCounts.push(body.length);
  }
  const rates = STREAM_FORMATS.map((): number[] => []);
  const cpuNs = STREAM_FORMATS.map((): number[] => []);
  for (let round = 0; round < scale.countRounds; round++) {
    bench.say(`sql, streams, round ${round + 1} of ${scale.countRounds}`);
    for (const [index, { name, accept, countRows }] of STREAM_FORMATS.entries()) {
      const cpuBefore = server.cpuSeconds();
      const { seconds, body } = await downloader.get(sql, accept);
      bench.check(`rows of ${name}`, countRows(body), rowCount);
      rates[index].push(body.length / 1e6 / seconds);
      cpuNs[index].push(((server.cpuSeconds() - cpuBefore) * 1e9) / rowCount);
    }
  }
  downloader.close();
  return {
    line: 'sql',
    title: `SELECT of ${rowCount.toLocaleString('en-US')} rows of ${STREAMED_COLUMNS.length} columns, streamed over HTTPS, 1 connection, ${scale.workers[0]} workers`,
    columns: ['', 'MB', 'MB/s', 'wanted MB/s at 1 M', 'rows/s', 'server CPU ns a row'],
    rows: STREAM_FORMATS.map(({ name, wantedMegabytes }, index): TableCell[] => {
      const rate = spreadOf(rates[index]);
      const megabytes = byteCounts[index] / 1e6;
      return [
        name,
        megabytes,
        rate,
        wantedMegabytes,
        (rate.median / megabytes) * rowCount,
        spreadOf(cpuNs[index]),
      ];
    }),
    notes: [
      sql,
      `medians [least..most] over ${scale.countRounds} alternating rounds; the client is this process, on the same cores`,
    ],
  };
}
