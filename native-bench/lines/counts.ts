/**
 * The counts line: questions over HTTPS with keep-alive and bypassed caches, compared with the same questions in the other
 * databases, in process and over the same rows. Rounds alternate between all of them and use the variants of a question.
 */
import type { Bench } from '../bench.js';
import { writePeopleCsv } from '../data/peers.js';
import { spreadOf } from '../measure.js';
import type { PeerProcess } from '../peers/process.js';
import { QUESTIONS, VARIANT_COUNT } from '../questions.js';
import type { QuarryServer } from '../server/quarry.js';
import type { Table, TableCell } from '../table.js';
import { PeerComparison } from './peer-comparison.js';
import { type Prepared, type Step, timeQuestion, timeRoundTrip } from './store.js';

/** p50 of each round, and p99 over all rounds, in milliseconds. */
interface Times {
  readonly p50s: number[];
  readonly p99s: number[];
}

const newTimes = (): Times => ({ p50s: [], p99s: [] });

/** Writes the people for other databases, and loads them into `peers`. */
export async function loadPeers(
  bench: Bench,
  { people, steps }: Prepared,
  peers: readonly PeerProcess[],
): Promise<void> {
  const { entityCount } = steps[steps.length - 1].expected;
  bench.say('loading the other databases');
  const files = writePeopleCsv(people, 0, entityCount, bench.dir);
  for (const peer of peers) {
    await peer.load(files);
    bench.check(`people in ${peer.name}`, await peer.query('SELECT count(*) FROM people'), entityCount);
    const events = ['visit', 'purchase', 'rating'].map((table) =>
      peer.query(`SELECT count(*) FROM ${table}`),
    );
    const eventCount = (await Promise.all(events)).reduce((sum, count) => sum + count, 0);
    bench.check(`events in ${peer.name}`, eventCount, steps[steps.length - 1].expected.eventCount);
  }
}

export interface CountLine {
  readonly table: Table;
  /** p50 in milliseconds by question; '' is the round trip without a scan. */
  readonly p50: ReadonlyMap<string, number>;
}

/** `step` is the last step; the peers hold the same people. */
export async function countLine(bench: Bench, server: QuarryServer, { expected }: Step): Promise<CountLine> {
  const { scale, peers } = bench;
  const roundTrip = newTimes();
  const own = QUESTIONS.map(newTimes);
  const comparisons = QUESTIONS.map(() => new PeerComparison(bench));
  for (let round = 0; round < scale.countRounds; round++) {
    bench.say(`counts, round ${round + 1} of ${scale.countRounds}`);
    const variant = round % VARIANT_COUNT;
    const floor = await timeRoundTrip(bench, server, expected);
    roundTrip.p50s.push(floor.p50Ms);
    roundTrip.p99s.push(floor.p99Ms);
    for (const [index, question] of QUESTIONS.entries()) {
      const { p50Ms, p99Ms } = await timeQuestion(bench, server, question, variant, expected);
      own[index].p50s.push(p50Ms);
      own[index].p99s.push(p99Ms);
      const answer = expected.answers.get(question.name)?.[variant] as number;
      await comparisons[index].query(question.variants[variant].sql, answer);
    }
  }
  const rows: TableCell[][] = QUESTIONS.map(({ name, wantedMs }, index) => {
    const p50 = spreadOf(own[index].p50s);
    const peerTimes = comparisons[index].spreads;
    const ratios = peerTimes.map(({ median }) => `${(median / p50.median).toFixed(1)}x`);
    return [name, p50, spreadOf(own[index].p99s), wantedMs, ...peerTimes, ...ratios];
  });
  for (const [index, { name }] of QUESTIONS.entries()) {
    comparisons[index].compare(
      { line: 'counts', name },
      spreadOf(own[index].p50s),
      spreadOf(own[index].p99s),
    );
  }
  const names = peers.map(({ name }) => name);
  const floor: TableCell[] = [
    'nothing scanned: total',
    spreadOf(roundTrip.p50s),
    spreadOf(roundTrip.p99s),
    null,
  ];
  const table: Table = {
    line: 'counts',
    title: `count/entity over ${expected.entityCount.toLocaleString('en-US')} entities and ${expected.eventCount.toLocaleString('en-US')} events, HTTPS end to end, 1 connection, ${scale.workers[0]} workers; the others in process`,
    columns: [
      '',
      'p50 ms',
      'p99 ms',
      'wanted p50 at 10 M',
      ...names.map((name) => `${name} ms`),
      ...names.map((name) => `${name} takes`),
    ],
    rows: [[...floor, ...names.map(() => null), ...names.map(() => null)], ...rows],
    notes: [
      ...QUESTIONS.map(({ name, text }) => `${name}: ${text}`),
      `medians [least..most] over ${scale.countRounds} alternating rounds through ${VARIANT_COUNT} variants of each question, ${scale.countsPerRound} requests each (${scale.peerCountsPerRound} for the others)`,
    ],
  };
  const p50 = new Map(QUESTIONS.map(({ name }, index) => [name, spreadOf(own[index].p50s).median]));
  return { table, p50: p50.set('', spreadOf(roundTrip.p50s).median) };
}
