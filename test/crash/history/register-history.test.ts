/** The history checker, compared with a search through all orders. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { faultOf, type Operation } from './register-history.js';

const SEED = 19_970_101;
t.comment(`seed ${SEED}`);

/** Whether the operations of one register are linearizable: tries every order. */
function isExplained(operations: readonly Operation[], value = 0): boolean {
  if (operations.length === 0) return true;
  const firstAnswer = Math.min(...operations.map(({ answeredMs }) => answeredMs));
  return operations.some((one, at) => {
    // An operation that was answered before another was sent precedes it.
    if (one.sentMs > firstAnswer) return false;
    if (one.kind === 'read' && one.value !== value) return false;
    return isExplained(operations.toSpliced(at, 1), one.kind === 'write' ? one.value : value);
  });
}

/** Operations that take effect one at a time; then some reads get wrong values. */
function history(prng: Prng, wrong: number): Operation[] {
  const count = prng.between(1, 7);
  const moments = Array.from({ length: count }, (_, at) => at * 10 + 5);
  let [value, written] = [0, 0];
  const operations = moments.map((moment, client): Operation => {
    const kind = prng.chance(0.5) ? 'write' : 'read';
    if (kind === 'write') value = ++written;
    const [before, behind] = [prng.below(40) + 1, prng.below(40) + 1];
    return { register: 0, kind, value, sentMs: moment - before, answeredMs: moment + behind, client };
  });
  return operations.map((one) =>
    one.kind === 'read' && prng.chance(wrong) ? { ...one, value: prng.below(written + 1) } : one,
  );
}

t.test('histories of operations that took effect at one moment each have no fault', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 2_000; round++) {
    const operations = history(prng, 0);
    t.equal(faultOf(operations), null, JSON.stringify(operations));
    if (!t.passing()) return;
  }
});

t.test('the checker reports an error exactly for histories that are not linearizable', async (t) => {
  const prng = new Prng(SEED + 1);
  const seen = { explained: 0, faulty: 0 };
  for (let round = 0; round < 6_000; round++) {
    const operations = history(prng, 0.4);
    const explained = isExplained(operations);
    seen[explained ? 'explained' : 'faulty']++;
    t.equal(faultOf(operations) === null, explained, JSON.stringify(operations));
    if (!t.passing()) return;
  }
  t.ok(seen.explained > 1_000 && seen.faulty > 300, JSON.stringify(seen));
});

t.test(
  'the checker distinguishes unwritten values, values written twice, and separate registers',
  async (t) => {
    const write = { register: 1, kind: 'write', value: 5, sentMs: 0, answeredMs: 1, client: 0 } as const;
    const read = { ...write, kind: 'read', sentMs: 2, answeredMs: 3 } as const;
    t.equal(faultOf([write, read]), null);
    t.match(faultOf([{ ...read, value: 6 }]), /register 1: 6 was read and never written/);
    t.match(faultOf([write, { ...write, sentMs: 4, answeredMs: 5 }]), /5 was written twice/);
    t.match(faultOf([write, { ...read, sentMs: -3, answeredMs: -2 }]), /before it was written/);
    t.match(faultOf([write, { ...read, register: 2 }]), /register 2/);
    t.match(faultOf([write, { ...read, value: 0 }]), /0 was read|stood/);
  },
);
