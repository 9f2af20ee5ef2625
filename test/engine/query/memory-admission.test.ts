import t from 'tap';
import { MemoryAdmission } from '../../../src/engine/query/memory-admission.js';

t.test('queries wait in order for memory, and one may always run', async (t) => {
  let capacity = 0;
  const admission = new MemoryAdmission((runningCount) => runningCount < capacity);
  const started: number[] = [];
  const start = (index: number): Promise<void> => admission.enter().then(() => void started.push(index));
  await start(0);
  const waiting = [start(1), start(2), start(3)];
  await Promise.resolve();
  t.strictSame(started, [0], 'without any capacity the first one runs');
  admission.leave();
  await waiting[0];
  t.strictSame(started, [0, 1]);
  capacity = 2;
  const later = start(4);
  await Promise.resolve();
  t.strictSame(started, [0, 1], 'nobody overtakes');
  admission.leave();
  await Promise.all(waiting);
  t.strictSame(started, [0, 1, 2, 3]);
  admission.leave();
  await later;
  t.strictSame(started, [0, 1, 2, 3, 4]);
});
