/** Every file system call fails in turn (io-errors.ts). `npm run torture -- --what io-errors` tries all of them. */
import t from 'tap';
import { NodeFileSystem } from '../../../src/io/index.js';
import type { DiskCall } from '../../support/faulty-disk.js';
import { failCheckpoints, failWhileLiving, failWhileStarting } from './io-errors.js';

t.setTimeout(240_000);

/**
 * The kinds of calls by method of the file system and its handles; null = a method that is composed of other methods.
 */
const CALLS_OF: Readonly<Record<string, DiskCall | null>> = {
  open: 'open',
  readFile: 'read',
  writeFile: null,
  rename: 'rename',
  remove: 'remove',
  list: 'list',
  makeDir: 'makeDir',
  removeDir: 'removeDir',
  syncDir: 'syncDir',
  exists: 'exists',
  // Rows of queries, which are not data: test/exec/spill has their faults.
  createScratch: null,
  scratchOf: null,
  writev: 'writev',
  read: 'read',
  dataSync: 'dataSync',
  truncate: 'truncate',
  size: 'size',
  close: 'close',
};

const methodsOf = (object: object): string[] =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(object)).filter((name) => name !== 'constructor');

const failed = new Set<string>();

t.test('a failed call in a running store never loses an acknowledged write', async (t) => {
  const { runs, sites, faults } = await failWhileLiving(false);
  t.strictSame(faults, []);
  t.comment(`${runs} runs, calls failed at ${sites.size} sites: ${[...sites].sort().join(', ')}`);
  for (const site of sites) failed.add(site.slice(0, site.indexOf(' ')));
});

t.test('a start that fails reports the error, and the next start finds all writes', async (t) => {
  const { runs, sites, faults } = await failWhileStarting(false);
  t.strictSame(faults, []);
  t.comment(`${runs} runs, calls failed at ${sites.size} sites: ${[...sites].sort().join(', ')}`);
  for (const site of sites) failed.add(site.slice(0, site.indexOf(' ')));
});

t.test(
  'a power loss during the checkpoint after a failed one loses nothing, for each call that may fail',
  async (t) => {
    const { runs, faults } = await failCheckpoints(8);
    t.strictSame(faults, []);
    t.comment(`${runs} power losses`);
  },
);

t.test('every kind of call was tried', async (t) => {
  const disk = new NodeFileSystem();
  const handle = await disk.open(`${t.testdir({ file: '' })}/file`, 'read');
  t.strictSame([...methodsOf(disk), ...methodsOf(handle)].sort(), Object.keys(CALLS_OF).sort());
  await handle.close();
  const calls = Object.values(CALLS_OF).filter((call) => call !== null);
  t.strictSame([...failed].sort(), [...new Set(calls)].sort());
});
