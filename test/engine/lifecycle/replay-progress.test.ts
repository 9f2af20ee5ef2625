import t from 'tap';
import { ReplayProgress } from '../../../src/engine/lifecycle/replay-progress.js';
import { jsonObject, num } from '../../support/generate.js';
import { copyDir, makeDir, TestStore } from '../store.js';

const entry = (file: string, offset: number) => ({ lsn: 1, payload: new Uint8Array(0), file, offset });

t.test('progress is reported in bytes of all files and never decreases', (t) => {
  const progress = new ReplayProgress();
  t.strictSame([progress.bytes, progress.bytesDone, progress.recordCount], [0, 0, 0]);
  progress.begin([
    { path: 'a', bytes: 100 },
    { path: 'b', bytes: 50 },
    { path: 'c', bytes: 1_000 },
  ]);
  const reported = (file: string, offset: number): number => {
    progress.at(entry(file, offset));
    return progress.bytesDone;
  };
  t.strictSame(
    [reported('a', 32), reported('a', 60), reported('c', 32), reported('c', 400)],
    [32, 60, 182, 550],
  );
  progress.end();
  t.strictSame([progress.bytes, progress.bytesDone, progress.recordCount], [1_150, 1_150, 4]);
  t.end();
});

t.test(
  'a start reports the bytes of log that it replays, and a checkpoint those of the next start',
  async (t) => {
    const store = await TestStore.open(t, makeDir(t));
    t.match(store.engine.stats(), { replayBytes: 0, replayBytesDone: 0, replayRecordCount: 0 });
    await store.createColumns([jsonObject({ name: 'n', type: 'integer' })]);
    for (let index = 0; index < 20; index++) {
      await store.insert(jsonObject({ [`e${index}`]: jsonObject({ n: num(index) }) }));
    }
    const { lsnAppended, logBytesSinceCheckpoint, logBytesWritten } = store.engine.stats();
    t.equal(logBytesSinceCheckpoint, logBytesWritten);
    const again = await TestStore.open(t, copyDir(t, store.dir));
    const started = again.engine.stats();
    t.equal(started.replayRecordCount, lsnAppended);
    t.ok(started.replayBytes >= logBytesWritten, 'with the preallocated space');
    t.equal(started.replayBytesDone, started.replayBytes);
    t.ok(started.logBytesSinceCheckpoint > 0);
    await again.engine.checkpoint();
    const { logBytesSinceCheckpoint: since, checkpointSeconds, checkpointCount } = again.engine.stats();
    t.ok(since < 200, 'except the record that begins a new file');
    t.strictSame([checkpointSeconds.count, checkpointCount], [1, 1]);
  },
);
