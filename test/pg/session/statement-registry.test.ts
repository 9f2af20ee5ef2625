/** The memory of prepared statements and portals is limited by session and reserved. */
import t from 'tap';
import { newPortal, newPrepared, type PreparedStatement } from '../../../src/pg/session/portal.js';
import { StatementRegistry } from '../../../src/pg/session/statement-registry.js';
import { readPostgres } from '../../../src/sql/index.js';

const MIB = 2 ** 20;

function account(capacityBytes: number) {
  const used = { bytes: 0 };
  const reserve = (bytes: number): (() => void) | null => {
    if (used.bytes + bytes > capacityBytes) return null;
    used.bytes += bytes;
    return () => {
      used.bytes -= bytes;
    };
  };
  return { used, reserve };
}

const preparedOf = (text: string): PreparedStatement => newPrepared(text, readPostgres(text)[0], []);
const SMALL = preparedOf('SELECT 1');
const LARGE = preparedOf(`SELECT 1${',1'.repeat(20_000)}`);

t.test('statements are limited by the memory of their tokens, which is reserved', async (t) => {
  const { used, reserve } = account(100 * MIB);
  const registry = new StatementRegistry(reserve);
  registry.addPrepared('small', SMALL);
  t.equal(used.bytes, 0, 'small statements take no reservation');
  let count = 0;
  t.throws(() => {
    for (; count < 100; count++) registry.addPrepared(`s${count}`, LARGE);
  }, /too many prepared statements; the limit of a session is 1000 statements with 33554432 bytes/);
  t.equal(count, 6);
  t.ok(used.bytes > 29 * MIB && used.bytes <= 33 * MIB, `${used.bytes} bytes are reserved`);
  registry.deallocate('s0');
  t.ok(used.bytes <= 28 * MIB, 'memory is released with a statement');
  registry.addPrepared('again', LARGE);
  for (let round = 0; round < 100; round++) registry.addPrepared('', SMALL);
  registry.deallocate(null);
  t.equal(used.bytes, 0);
});

t.test('a statement or portal beyond the memory limit is refused, and others stay', async (t) => {
  const { used, reserve } = account(7 * MIB);
  const registry = new StatementRegistry(reserve);
  registry.addPrepared('one', LARGE);
  t.throws(() => registry.addPrepared('two', LARGE), { state: '53200', message: /memory limit is reached/ });
  t.throws(() => registry.prepared('two'), /does not exist/);
  t.equal(registry.prepared('one'), LARGE);
  const portal = newPortal(SMALL, [Buffer.alloc(4 * MIB)], [0], []);
  t.throws(() => registry.addPortal('p', portal), { state: '53200', message: /memory limit is reached/ });
  registry.deallocate('one');
  registry.addPortal('p', portal);
  t.throws(() => registry.addPortal('q', newPortal(SMALL, [Buffer.alloc(5 * MIB)], [0], [])), {
    state: '53200',
    message: /too many portals/,
  });
  t.ok(used.bytes >= 4 * MIB - 256 * 1024);
  registry.close();
  t.equal(used.bytes, 0, 'the end of a session releases everything');
});
