/**
 * Short runs of bodies.ts and sql-texts.ts. To repeat a run: node dist/test/fuzz/bodies.test.js --seed 1 --bodies 20000
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import t from 'tap';
import { ServerProcess } from '../support/server-process.js';
import { judged } from './answers.js';
import { runBodies, summaryOf } from './bodies.js';
import { textOf, type Wrong } from './damage.js';
import { runSql } from './sql-texts.js';
import { errorsOverWire } from './wire.js';

const { values: value } = parseArgs({
  options: {
    bodies: { type: 'string', default: '12000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [BODIES, SEED] = [Number(value.bodies), Number(value.seed)];
const SHOWN = 5;
t.comment(`seed ${SEED}, ${BODIES} bodies`);
t.setTimeout(240_000 + BODIES * 20);

t.test('a hostile body to any endpoint is answered, or refused without any effect', async (t) => {
  const counts = await runBodies(BODIES, SEED);
  t.strictSame(counts.faults.slice(0, SHOWN), []);
  t.comment(summaryOf(counts));
  t.ok(counts.accepted > counts.bodies / 20, 'many are accepted');
  t.ok(counts.refused > counts.bodies / 4, 'many are refused');
  t.ok(counts.codes.size > 40 || BODIES < 10_000, 'for many reasons');
});

t.test('hostile SQL, including writes, is answered, or refused without any effect', async (t) => {
  const counts = await runSql(BODIES / 20, SEED);
  t.strictSame(counts.faults.slice(0, SHOWN), []);
  t.comment(summaryOf(counts));
  t.ok(
    counts.accepted > counts.bodies / 20 && counts.refused > counts.bodies / 5,
    'both many are accepted and many are refused',
  );
});

t.test('the same bodies over HTTPS, several at once, to a server with threads and a disk', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-fuzz-'));
  const server = new ServerProcess({ dir, flags: ['--workers', '2', '--shards', '3'] });
  t.teardown(async () => {
    await server.kill();
    fs.rmSync(dir, { recursive: true });
  });
  const faults = await errorsOverWire(server, BODIES / 20, SEED);
  t.strictSame(faults.slice(0, SHOWN), []);
  t.notMatch(server.output, /unexpected error|"level":(50|60)|lane .* ended/);
  t.equal(await server.end(), 0);
});

t.test('an answer that does not follow the interface is reported', async (t) => {
  const fault = (status: number, text: string | Uint8Array, contentType = 'application/json'): boolean =>
    judged({ status, contentType, body: Buffer.from(text) }).fault !== null;
  const error = (code: unknown, message: unknown = 'no'): string =>
    JSON.stringify({ status: 'error', errors: [{ code, message }] });
  t.notOk(fault(200, '{"status":"success","took":0.1}'));
  t.notOk(fault(200, '[]'));
  t.notOk(fault(400, error(4049)));
  t.ok(fault(500, error(1)), 'HTTP 500');
  t.ok(fault(400, error(1503).slice(1)), 'broken JSON');
  t.ok(fault(200, Uint8Array.of(0x22, 0xff, 0x22)), 'invalid UTF-8');
  t.ok(fault(400, error(4242)), 'an unknown code');
  t.ok(fault(503, error(4049)), 'the status of another code');
  t.ok(fault(503, error(9004)), 'a worker that ended');
  t.ok(fault(400, error(4049, '')), 'no message');
  t.ok(fault(400, error(4049, 'x'.repeat(5_000))), 'a message that grows');
  t.ok(fault(200, '{"status":"success"}'), 'a missing time');
  t.ok(fault(200, '{"status":"success","took":0}', 'text/html'), 'another type');
});

t.test('a body with one wrong part anywhere is generated', async (t) => {
  const tree = { a: [1, { b: 'x' }], c: null };
  const wrong = (at: number, how: Wrong['how']): string =>
    textOf(tree, { at, how, text: 'NaN', name: '__proto__' });
  t.equal(textOf(tree, null), JSON.stringify(tree));
  t.equal(wrong(0, 'replace'), 'NaN');
  t.equal(wrong(2, 'replace'), '{"a":[NaN,{"b":"x"}],"c":null}');
  t.equal(wrong(1, 'remove'), '{"c":null}');
  t.equal(wrong(4, 'rename'), '{"a":[1,{"__proto__":"x"}],"c":null}');
  t.equal(wrong(5, 'double'), '{"a":[1,{"b":"x"}],"c":null,"c":null}');
  t.equal(wrong(0, 'add'), '{"a":[1,{"b":"x"}],"c":null,"__proto__":NaN}');
});
