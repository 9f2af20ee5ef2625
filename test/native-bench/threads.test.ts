import t from 'tap';
import { boundsOf, threadsNote } from '../../native-bench/lines/threads.js';

t.test('what is full first on more cores follows from the CPU time of the threads', async (t) => {
  t.strictSame(boundsOf({ main: 0.5, all: 2 }, 8), { cores: 4e6, main: 2e6 });
  t.equal(
    threadsNote('HTTP', { main: 0.2, all: 2 }),
    'HTTP: 0.20 of 2.00 CPU s per million in the main thread; 8 cores would do 4.00 M/s: the cores are full first; ' +
      '16 cores would do 8.00 M/s: main is full first, at 5.00 M/s',
  );
});
