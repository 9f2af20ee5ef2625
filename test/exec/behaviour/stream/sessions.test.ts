/** Sessions reserve the memory that grows with the events of an entity. */
import t from 'tap';
import type { KernelInput } from '../../../../src/exec/behaviour/kernel.js';
import { countSessions } from '../../../../src/exec/behaviour/stream/sessions.js';
import { Tally } from '../../../../src/exec/behaviour/tally.js';
import { QueryRun, UNBOUNDED } from '../../../../src/exec/query-run.js';
import { SESSION_SLOTS, type SessionsQuestion } from '../../../../src/ir/index.js';

const EVENTS = 10_000;

/** Counts the sessions of one entity, of which every second event begins one. */
function count(capacityBytes: number): { readonly sessions: number; readonly reservedBytes: number } {
  const dates = Uint32Array.from({ length: EVENTS }, (_, at) => (at >> 1) * 100 + (at & 1));
  const run = new QueryRun(null, 0, capacityBytes);
  const tally = new Tally(SESSION_SLOTS, UNBOUNDED);
  const input = {
    ...{ run, tally, question: { gap: 10 }, slots: SESSION_SLOTS, ranking: null, texts: null },
    plan: { periods: [], events: [[], []], between: { from: 0, to: 2 ** 32 - 2 }, breakdown: null },
    events: {
      ...{ rowEnd: 1, starts: [0, EVENTS], linkColumn: -1 },
      columns: [dates, new Uint32Array(EVENTS)],
      read: () => 1,
    },
  };
  countSessions(input as unknown as KernelInput<SessionsQuestion>);
  return { sessions: tally.counts[0], reservedBytes: run.reservedBytes };
}

t.test('an entity with many events is counted, or refused by the memory limit', async (t) => {
  const { sessions, reservedBytes } = count(2 ** 20);
  t.equal(sessions, EVENTS / 2);
  t.ok(reservedBytes >= EVENTS * 4, `${reservedBytes} bytes`);
  t.equal(count(reservedBytes).sessions, sessions);
  t.throws(() => count(reservedBytes - 1), { code: 9006 });
});
