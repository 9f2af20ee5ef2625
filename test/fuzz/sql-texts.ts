/**
 * Hostile SQL executed in this process: generated SELECTs, writes and scripts over generated tables, with changed words
 * and bytes, and random words. Each is answered as the interface defines. A refused text changes nothing. A valid
 * SELECT in between is answered correctly. At the end of a chunk the store, reopened from its files, has the same
 * counts.
 *   npm run torture -- --what sql --rounds 500000 --seed 1
 * Chunks are independent: the seed in a fault report repeats its chunk.
 */
import fc from 'fast-check';
import { Prng } from '../../src/base/index.js';
import type { Torture } from '../crash/history/torture-options.js';
import { printSelect } from '../metamorphic/sql-select.js';
import { Statements } from '../metamorphic/sql-statements.js';
import type { RawAnswer } from '../support/conformance-server.js';
import { faultyDisk } from '../support/faulty-disk.js';
import { insertWorld } from '../support/sql/sql-load.js';
import { mutated as withOtherWords, wordSalad } from '../support/sql/sql-mutants.js';
import { generateWorld, type World } from '../support/sql/sql-world.js';
import { type FuzzCounts, noCounts, summaryOf, tryRequest } from './bodies.js';
import { mutated, mutationArb } from './damage.js';
import { InProcessServer } from './in-process-server.js';

const CHUNK = 2_000;
const GOOD_EVERY = 25;
const SHARDS = 3;
const STEADY = 'steady';
const STEADY_COUNT = 40;
const MUTATIONS_MAX = 1_000;

async function post(server: InProcessServer, path: string, body: string | Uint8Array): Promise<RawAnswer> {
  const answer = await server.request({
    method: 'POST',
    path,
    key: server.keys.master,
    body: Buffer.from(body),
  });
  if (answer === null) throw new Error(`${path}: the connection was closed`);
  const text = answer.body.toString('utf8');
  return { status: answer.status, text, bytes: answer.body };
}

const sql = (server: InProcessServer, text: string | Uint8Array): Promise<RawAnswer> =>
  post(server, '/v1/sql', text);

async function fill(server: InProcessServer, world: World): Promise<void> {
  await insertWorld(
    { post: (path, body) => post(server, path, body), sql: (text) => sql(server, text) },
    world,
  );
  const rows = Array.from({ length: STEADY_COUNT }, (_, n) => [`s${n}`, { dimension: STEADY, n }]);
  const body = { ...Object.fromEntries(rows), 'auto-create': ['dimension', 'column'] };
  const { status, text } = await post(server, '/v1/insert', JSON.stringify(body));
  if (status !== 200) throw new Error(text);
}

async function checkGood(server: InProcessServer, turn: number): Promise<void> {
  const below = turn % STEADY_COUNT;
  const { text } = await sql(server, `SELECT COUNT(*) AS c FROM ${STEADY} WHERE n < ${below}`);
  if (!text.includes(`[{"c":${below}}]`)) throw new Error(`a valid SELECT: ${text}`);
}

const VALUES = [
  "'a'",
  'NULL',
  '7',
  "'2020-01-01'",
  '1.5',
  'TRUE',
  "'İ'",
  "''",
  '-9223372036854775808',
  "'__proto__'",
];

/** One or several statements that write. */
function writing(prng: Prng, world: World, where: () => string): string {
  const { name, columns } = prng.pick(world);
  const some = columns.filter(() => prng.chance(0.4)).map((column) => `[${column.name}]`);
  const values = (): string => some.map(() => `, ${prng.pick(VALUES)}`).join('');
  const one = (): string => {
    switch (prng.below(4)) {
      case 0:
        return `UPDATE ${name} SET ${some.map((column) => `${column} = ${prng.pick(VALUES)}`).join(', ')} WHERE ${where()}`;
      case 1:
        return `DELETE FROM ${name} WHERE [entity-id] = 'r${prng.below(300)}' AND ${where()}`;
      default:
        return `INSERT INTO ${name} (${['[entity-id]', ...some].join(', ')}) VALUES ('new${prng.below(50)}'${values()}), ('new${prng.below(50)}'${values()})`;
    }
  };
  return Array.from({ length: prng.pick([1, 1, 1, 3]) }, one).join('; ');
}

class Texts {
  readonly #prng: Prng;
  readonly #world: World;
  readonly #statements: Statements;
  readonly #mutations: readonly Parameters<typeof mutated>[1][];

  constructor(prng: Prng, world: World, seed: number) {
    this.#prng = prng;
    this.#world = world;
    this.#statements = new Statements(prng, world);
    const lists = fc.array(mutationArb, { minLength: 1, maxLength: 3 });
    this.#mutations = fc.sample(lists, { seed, numRuns: MUTATIONS_MAX });
  }

  next(): Uint8Array {
    const prng = this.#prng;
    const where = (): string =>
      /WHERE (.*?)(?: GROUP | ORDER | LIMIT |$)/s.exec(this.#select())?.[1] ?? 'n = 1';
    const plain = prng.chance(0.05)
      ? wordSalad(prng)
      : prng.chance(0.2)
        ? writing(prng, this.#world, where)
        : prng.chance(0.03)
          ? `EXPLAIN ${prng.pick(['', 'ANALYZE '])}${this.#select()}`
          : this.#select();
    // No statement writes the rows that the valid SELECT counts.
    const text = Buffer.from(withOtherWords(prng, plain).replaceAll(STEADY, 'other'));
    return prng.chance(0.15) ? mutated(text, prng.pick(this.#mutations)) : text;
  }

  #select(): string {
    return printSelect(this.#statements.any()).quarry;
  }
}

async function tryOne(server: InProcessServer, body: Uint8Array, counts: FuzzCounts): Promise<void> {
  const request = { method: 'POST', path: '/v1/sql', key: server.keys.master, body };
  await tryRequest(server, request, () => Buffer.from(body).toString('latin1'), counts);
  if (counts.bodies % GOOD_EVERY === 0) {
    counts.good++;
    await checkGood(server, counts.bodies);
  }
}

/** Counts and sums of all tables, as text. */
async function stateOf(server: InProcessServer, world: World): Promise<string> {
  const lines: string[] = [];
  for (const { name, columns } of world) {
    const items = columns.map(
      (column) => `COUNT([${column.name}]), MIN([${column.name}]), COUNT(DISTINCT [${column.name}])`,
    );
    for (const item of ['COUNT(*), COUNT(DISTINCT [entity-id])', ...items]) {
      lines.push((await sql(server, `SELECT ${item} FROM ${name}`)).text.replace(/"took":[\d.]+/, ''));
    }
  }
  return lines.join('\n');
}

async function runChunk(count: number, seed: number, counts: FuzzCounts): Promise<void> {
  const prng = new Prng(seed);
  const disk = faultyDisk({ seed });
  const server = await InProcessServer.open(disk, seed, SHARDS);
  const world = generateWorld(prng, 'w');
  await fill(server, world);
  const texts = new Texts(prng, world, seed);
  for (let index = 0; index < count; index++) {
    const body = texts.next();
    await tryOne(server, body, counts).catch((error) => {
      counts.faults.push(
        `seed ${seed}, text ${index}: ${JSON.stringify(Buffer.from(body).toString('utf8'))}: ${error}`,
      );
    });
  }
  const lived = await stateOf(server, world);
  const again = await InProcessServer.open(disk.afterKill({ seed }), seed, null);
  if ((await stateOf(again, world)) !== lived)
    counts.faults.push(`seed ${seed}: other counts after a new start`);
  await again.close();
  await server.close();
}

/** Runs `count` texts in chunks; `seed` is the seed of the first chunk. */
export async function runSql(count: number, seed: number): Promise<FuzzCounts> {
  const counts = noCounts();
  for (let index = 0; index * CHUNK < count; index++) {
    await runChunk(Math.min(CHUNK, count - index * CHUNK), seed + index, counts).catch((error) =>
      counts.faults.push(`seed ${seed + index}: ${error instanceof Error ? error.stack : error}`),
    );
  }
  return counts;
}

/** Runs `rounds` texts. Returns whether there was no error. */
export const fuzzSql: Torture = async ({ rounds, seed }) => {
  const startedAt = performance.now();
  const counts = await runSql(rounds, seed);
  for (const fault of counts.faults) console.log(fault);
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(
    `${summaryOf(counts)}; ${Math.round(seconds)} s, ${Math.round(counts.bodies / seconds)} texts/s, ${counts.faults.length} faults`,
  );
  return counts.faults.length === 0;
};
