/**
 * The queries line: one question of each kind other than counts, over HTTPS with keep-alive and bypassed caches; and pages
 * of an ordered extraction, alternating between the first page and a late one.
 */
import type { Bench } from '../bench.js';
import { repeatBody } from '../data/bodies.js';
import { BLOCK_ENTITIES, entityId } from '../data/people.js';
import { Connection } from '../load/connection.js';
import { type Check, runLoad } from '../load/load.js';
import { spreadOf } from '../measure.js';
import { QUERY_QUESTIONS } from '../query-questions.js';
import type { QuarryServer } from '../server/quarry.js';
import type { Table, TableCell } from '../table.js';
import { PeerComparison } from './peer-comparison.js';
import type { Prepared } from './store.js';

const EXTRACTION = '/v1/data_extraction/result';
const PAGE_ROWS = 1_024;

/** An answer without the parts that differ between requests: `took`, and the time in a page token. */
const timeless = (body: string): string => body.replace(/,"(?:took|page-token)":[^,}]*/g, '');

/** Requires HTTP 200 and the same answer as `first`. */
const sameAs =
  (first: string): Check =>
  ({ status, body }) =>
    status === 200 && timeless(body) === timeless(first) ? null : `HTTP ${status}: ${body.slice(0, 1_000)}`;

async function queryOnly(server: QuarryServer, path: string, body: object): Promise<string> {
  const connection = await Connection.open(server.target(path, true));
  try {
    const answer = await connection.post(Buffer.from(JSON.stringify(body)));
    if (answer.status !== 200) throw new Error(`${path}: HTTP ${answer.status}, ${answer.body}`);
    return answer.body;
  } finally {
    connection.close();
  }
}

/** p50 and p99 of several requests, each answered like `first`. */
async function time(
  bench: Bench,
  server: QuarryServer,
  path: string,
  body: object,
  first: string,
): Promise<{ p50Ms: number; p99Ms: number }> {
  const { queriesPerRound } = bench.scale;
  const bodies = repeatBody(Buffer.from(JSON.stringify(body)), queriesPerRound);
  const result = await runLoad(server.target(path, true), bodies, 1, sameAs(first));
  bench.checked(queriesPerRound);
  return result;
}

/** A page of an extraction, and the request body of the next page. */
interface Page {
  readonly body: object;
  readonly answer: string;
  /** First row, counted from 0. */
  readonly from: number;
}

interface PageAnswer {
  readonly data: readonly { readonly 'entity-id': string; readonly income: string }[];
  readonly 'page-token'?: string;
}

/** Reads the pages of all people by income, up to the page that the scale names or the last; checks every page. */
async function pagesOf(bench: Bench, server: QuarryServer, prepared: Prepared): Promise<[Page, Page]> {
  const { entityCount } = prepared.steps[prepared.steps.length - 1].expected;
  const order = peopleByIncome(prepared, entityCount);
  const body = {
    query: [{ income: { gte: 0 } }],
    columns: ['entity-id', 'income'],
    order: [{ income: 'asc' }],
    limit: entityCount,
  };
  const pages: Page[] = [];
  let token: string | undefined;
  for (let from = 0; from < entityCount && pages.length < bench.scale.latePage; from += PAGE_ROWS) {
    const pageBody = token === undefined ? body : { ...body, 'page-token': token };
    const answer = await queryOnly(server, EXTRACTION, pageBody);
    const page = JSON.parse(answer) as PageAnswer;
    const wanted = [...order.slice(from, from + PAGE_ROWS)].map(decoded);
    const found = page.data.map((row) => ({ id: row['entity-id'], income: Number(row.income) }));
    bench.check(`page ${pages.length + 1} by income`, found, wanted);
    pages.push({ body: pageBody, answer, from });
    token = page['page-token'];
  }
  return [pages[0], pages[pages.length - 1]];
}

/** Factor that combines income and number of a person into one exact double. */
const PEOPLE_MAX = 2 ** 24;
const decoded = (key: number): { id: string; income: number } => ({
  id: entityId(key % PEOPLE_MAX),
  income: Math.floor(key / PEOPLE_MAX) / 100,
});

/** Incomes and numbers of all people in order; the order of IDs is that of the numbers. */
function peopleByIncome({ people }: Prepared, entityCount: number): Float64Array {
  const keys = new Float64Array(entityCount);
  for (let at = 0; at < entityCount; at += BLOCK_ENTITIES) {
    const { income } = people.block(at / BLOCK_ENTITIES);
    for (let index = 0; index < BLOCK_ENTITIES; index++)
      keys[at + index] = income[index] * PEOPLE_MAX + at + index;
  }
  return keys.sort();
}

/** The server holds the people of the last step. */
export async function queriesLine(bench: Bench, server: QuarryServer, prepared: Prepared): Promise<Table> {
  const { scale, peers } = bench;
  const { expected } = prepared.steps[prepared.steps.length - 1];
  bench.say('queries: computing the expected answers');
  const judges = QUERY_QUESTIONS.map(({ judge }) => judge());
  for (let at = 0; at < expected.entityCount; at += BLOCK_ENTITIES) {
    const block = prepared.people.block(at / BLOCK_ENTITIES);
    for (const judge of judges) judge.see(block);
  }
  const firsts: string[] = [];
  for (const [index, { name, path, body }] of QUERY_QUESTIONS.entries()) {
    const answer = await queryOnly(server, path, body);
    const fault = judges[index].fault(JSON.parse(answer));
    if (fault !== null) throw new Error(`${name}: ${fault}`);
    bench.checked(1);
    firsts.push(answer);
  }
  const pages = await pagesOf(bench, server, prepared);
  const p50s = QUERY_QUESTIONS.map((): number[] => []);
  const p99s = QUERY_QUESTIONS.map((): number[] => []);
  const comparison = QUERY_QUESTIONS.map(() => new PeerComparison(bench));
  const ofPages: [number[], number[]] = [[], []];
  for (let round = 0; round < scale.countRounds; round++) {
    bench.say(`queries, round ${round + 1} of ${scale.countRounds}`);
    for (const [index, { path, body }] of QUERY_QUESTIONS.entries()) {
      const { p50Ms, p99Ms } = await time(bench, server, path, body, firsts[index]);
      p50s[index].push(p50Ms);
      p99s[index].push(p99Ms);
      await comparison[index].query(QUERY_QUESTIONS[index].peerSql, judges[index].first());
    }
    for (const [index, { body, answer }] of pages.entries()) {
      ofPages[index].push((await time(bench, server, EXTRACTION, body, answer)).p50Ms);
    }
  }
  const rows = QUERY_QUESTIONS.map(({ name, wantedMs }, index): TableCell[] => {
    const [p50, p99] = [spreadOf(p50s[index]), spreadOf(p99s[index])];
    comparison[index].compare({ line: 'queries', name }, p50, p99);
    return [name, p50, p99, wantedMs, ...comparison[index].spreads];
  });
  const [first, late] = ofPages.map(spreadOf);
  const latePage = Math.floor(pages[1].from / PAGE_ROWS) + 1;
  return {
    line: 'queries',
    title: `queries over ${expected.entityCount.toLocaleString('en-US')} entities and ${expected.eventCount.toLocaleString('en-US')} events, HTTPS end to end, 1 connection, ${scale.workers[0]} workers; the others in process`,
    columns: ['', 'p50 ms', 'p99 ms', 'wanted p50 at 10 M', ...peers.map(({ name }) => `${name} ms`)],
    rows: [
      ...rows,
      ['page 1 by income', first, null, null, ...peers.map(() => null)],
      [
        `page ${latePage.toLocaleString('en-US')} by income`,
        late,
        null,
        2 * first.median,
        ...peers.map(() => null),
      ],
    ],
    notes: [
      ...QUERY_QUESTIONS.map(({ name, text }) => `${name}: ${text}`),
      `pages: data_extraction/result of all people, ${PAGE_ROWS} rows per page; a late page may take twice as long as the first`,
      `medians [least..most] over ${scale.countRounds} rounds of ${scale.queriesPerRound} requests`,
    ],
  };
}
