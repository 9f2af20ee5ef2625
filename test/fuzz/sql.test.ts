/**
 * Hostile SQL: generated statements, their mutants, and texts that are built to be deep, long or large. The server
 * answers every text with 200, with 400 and code 6000, or with 503 if a query takes too long or too much memory, and
 * continues to serve.
 * A longer run: node dist/test/fuzz/sql.test.js --bodies 100000 --seed 1
 */
import { parseArgs } from 'node:util';
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { printSelect } from '../metamorphic/sql-select.js';
import { Statements } from '../metamorphic/sql-statements.js';
import { ConformanceServer } from '../support/conformance-server.js';
import { insertWorld } from '../support/sql/sql-load.js';
import { hostileTexts, mutated, wordSalad } from '../support/sql/sql-mutants.js';
import { generateWorld } from '../support/sql/sql-world.js';

const { values: value } = parseArgs({
  options: {
    bodies: { type: 'string', default: '3000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [BODIES, SEED] = [Number(value.bodies), Number(value.seed)];
t.comment(`seed ${SEED}, ${BODIES} bodies`);
t.setTimeout(240_000 + BODIES * 40);

const IN_FLIGHT = 4;
const SHOWN = 5;
/** Longer than any limit on a query's time. */
const ANSWER_MS_MAX = 60_000;
/** Codes that a query may get other than 6000: time, memory, and a server that is busy with other queries. */
const BUSY_CODES = [9003, 9005, 9006];

interface Tally {
  accepted: number;
  refused: number;
  busy: number;
}

/** Description of the error in an answer; null if there is none. */
async function errorOf(
  server: ConformanceServer,
  body: string | Uint8Array,
  tally: Tally,
): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ANSWER_MS_MAX);
  });
  const answer = await Promise.race([server.sql(body), late]);
  clearTimeout(timer);
  if (answer === null) return `no answer in ${ANSWER_MS_MAX} ms`;
  const { status, text } = answer;
  if (status === 200) {
    tally.accepted++;
    JSON.parse(text);
    return null;
  }
  const [{ code, message }] = (JSON.parse(text) as { errors: [{ code: number; message: string }] }).errors;
  if (status === 400 && code === 6000 && message.length > 0 && message.length < 2_000) {
    tally.refused++;
    return null;
  }
  if (status === 503 && BUSY_CODES.includes(code)) {
    tally.busy++;
    return null;
  }
  return `HTTP ${status} ${text.slice(0, 300)}`;
}

t.test('hostile SQL is answered or refused, and the server continues to serve', async (t) => {
  const prng = new Prng(SEED);
  const world = generateWorld(prng, 'w');
  const server = await ConformanceServer.start(true, { shards: 3, workers: 2 });
  t.teardown(() => server.stop());
  await insertWorld(server, world);
  const [{ name, rows }] = world;
  const statements = new Statements(prng, world);
  const stillThere = async (): Promise<void> => {
    const { status, text } = await server.sql(`SELECT COUNT(*) FROM ${name}`);
    t.equal(status, 200, text);
    t.match(text, `"COUNT":${rows.length}}`);
  };

  t.test('mutants of statements', async (t) => {
    const tally: Tally = { accepted: 0, refused: 0, busy: 0 };
    const faults: string[] = [];
    let left = BODIES;
    const queryNext = async (): Promise<void> => {
      while (left-- > 0) {
        const plain = prng.chance(0.1) ? wordSalad(prng) : printSelect(statements.any()).quarry;
        // A write would change the expected counts.
        const body = mutated(prng, plain).replace(/insert|update|delete/gi, 'select');
        const fault = await errorOf(server, body, tally).catch(String);
        if (fault !== null) faults.push(`${body}: ${fault}`);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, queryNext));
    t.strictSame(faults.slice(0, SHOWN), []);
    t.ok(tally.accepted > BODIES / 50 && tally.refused > BODIES / 5, JSON.stringify(tally));
    await stillThere();
  });

  t.test('texts built to be deep, long or large', async (t) => {
    const tally: Tally = { accepted: 0, refused: 0, busy: 0 };
    for (const [what, body] of hostileTexts(name)) {
      const beginMs = performance.now();
      const fault = await errorOf(server, body, tally).catch(String);
      t.equal(fault, null, `${what}, ${Math.round(performance.now() - beginMs)} ms`);
    }
    t.comment(JSON.stringify(tally));
    await stillThere();
  });
});
