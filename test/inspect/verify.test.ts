/** Progress of a check; its findings are tested in test/crash. */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { summarizeStore, verifyStore } from '../../src/inspect/index.js';
import { NodeFileSystem } from '../../src/io/index.js';
import { writeStore } from './store.js';

t.test('a check reports the total bytes once, and then the bytes that it has read', async (t) => {
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
  t.ok(totals[0] >= read, `${totals[0]} bytes, including preallocated space`);
});

t.test('a log that ends below the checkpoint is an error, and the store has no summary', async (t) => {
  const dir = await writeStore(t);
  const [name] = fs.readdirSync(path.join(dir, 'log')).filter((file) => file.endsWith('.qlog'));
  const file = path.join(dir, 'log', name);
  fs.truncateSync(file, 500);
  const reason =
    "the log ends at LSN 0, below the manifest's checkpoint at LSN 3: acknowledged records are lost";
  const { faults } = await verifyStore(new NodeFileSystem(), dir);
  t.equal(faults.length, 1);
  t.ok(faults[0].startsWith(`${file} is corrupt at byte `) && faults[0].endsWith(reason), faults[0]);
  await t.rejects(summarizeStore(new NodeFileSystem(), dir), { name: 'CorruptionError', file, reason });
});
