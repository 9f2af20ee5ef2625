/** Workers learn which queries were stopped, by flags in shared memory and by messages alike. */
import t from 'tap';
import { queryStops } from '../../../src/engine/workers/query-stops.js';
import { QueryRun } from '../../../src/exec/index.js';
import { stopFlagsOf } from '../../../src/worker/stop-flags.js';

for (const exchange of ['shared', 'bytes'] as const) {
  t.test(`a query is stopped on all workers, and no other (${exchange})`, async (t) => {
    const stops = queryStops(exchange);
    t.teardown(() => stops.close());
    t.equal(stops.signals instanceof SharedArrayBuffer, exchange === 'shared');
    const workers = [stopFlagsOf(stops.signals), stopFlagsOf(stops.signals)];
    const isStopped = (query: number): boolean[] =>
      workers.map((flags) => {
        try {
          new QueryRun(flags, query, 1).check();
          return false;
        } catch (error) {
          if ((error as { code?: number }).code === 9005) return true;
          throw error;
        }
      });
    const [first, second] = [stops.reserve(), stops.reserve()];
    t.not(first, second);
    t.strictSame(isStopped(first), [false, false]);
    stops.stop(first);
    stops.stop(first);
    t.strictSame(isStopped(first), [true, true], 'in the same turn, as on a busy thread');
    t.strictSame(isStopped(second), [false, false]);
    stops.stop(second);
    await new Promise((resolve) => setTimeout(resolve, 20));
    t.strictSame(isStopped(second), [true, true], 'after the message was delivered');
    stops.release(first);
    t.strictSame(isStopped(first), [false, false]);
    t.strictSame(isStopped(second), [true, true]);
    const third = stops.reserve();
    t.strictSame(isStopped(third), [false, false], 'a number that is used again is not stopped');
    stops.stop(0);
    t.strictSame(isStopped(0), [false, false], 'number 0 is never stopped');
    stops.release(second);
    stops.close();
    stops.stop(third);
  });
}
