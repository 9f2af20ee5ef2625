import t from 'tap';
import type { SnapshotFileEntry } from '../../src/format/index.js';
import { SnapshotState } from '../../src/storage/index.js';

const FILE: SnapshotFileEntry = {
  path: 'snapshot/d1-1/entities.arrow',
  kind: 'entities',
  databaseId: 1,
  dimensionId: 1,
  columnId: 0,
  shard: 0,
  segment: 0,
  rowCount: 1,
  bytes: 1,
  crc32: 1,
};

t.test(
  'a due copy is made once, before the first change of an existing row, and not by appends',
  async (t) => {
    const state = new SnapshotState();
    let copies = 0;
    state.copyIsDue(() => void copies++);
    state.appended();
    t.equal(copies, 0);
    state.beforeChange();
    t.equal(copies, 1);
    state.beforeChange();
    state.copyNow();
    t.equal(copies, 1);
  },
);

t.test('a later checkpoint replaces one that did not copy', async (t) => {
  const state = new SnapshotState();
  const made: string[] = [];
  state.copyIsDue(() => void made.push('first'));
  state.copyIsDue(() => void made.push('second'));
  state.beforeChange();
  t.strictSame(made, ['second']);
});

t.test('a dropped segment is not copied', async (t) => {
  const state = new SnapshotState();
  state.copyIsDue(() => t.fail('no copy'));
  state.forget();
  state.copyNow();
  state.beforeChange();
});

t.test('a file represents the segment only while nothing has changed since its copy', async (t) => {
  const state = new SnapshotState();
  t.equal(state.file, null);
  const { changeCount } = state;
  state.written(FILE, changeCount);
  t.equal(state.file, FILE);
  state.appended();
  t.equal(state.file, null, 'an append');
  state.written(FILE, changeCount);
  t.equal(state.file, null, 'a file of an older state');
  state.written(FILE, state.changeCount);
  state.beforeChange();
  t.equal(state.file, null, 'a change');
});
