/** How far a check has come; what it finds is in test/crash. */
import t from 'tap';
import { verifyStore } from '../../src/inspect/index.js';
import { NodeFileSystem } from '../../src/io/index.js';
import { writeStore } from './store.js';

t.test('a check tells once how much there is to read, and then all that it has read', async (t) => {
  const dir = await writeStore(t);
  const totals: number[] = [];
  const parts: number[] = [];
  const report = await verifyStore(new NodeFileSystem(), dir, {
    begins: (bytes) => totals.push(bytes),
    read: (bytes) => parts.push(bytes),
  });
  t.match(report, { checkpointLsn: 3, recordCount: 4, lastLsn: 7, faults: [] });
  t.equal(totals.length, 1);
  t.equal(parts.length, report.snapshotFileCount + report.recordCount);
  const read = parts.reduce((sum, bytes) => sum + bytes, 0);
  t.equal(read, report.snapshotBytes + report.logBytes);
  t.ok(totals[0] >= read, `${totals[0]} bytes, room for records to come included`);
});
