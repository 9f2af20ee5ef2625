import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { History, historyFile } from '../../../src/commands/sql/history.js';
import { NodeFileSystem } from '../../../src/io/index.js';
import { FaultyDisk } from '../../support/faulty-disk.js';
import { directoryFor } from '../command-run.js';

t.test('the file is at the path of the XDG specification', (t) => {
  t.equal(historyFile({ XDG_STATE_HOME: '/s', HOME: '/h' }), '/s/quarry/sql-history');
  t.equal(historyFile({ XDG_STATE_HOME: 'relative', HOME: '/h' }), '/h/.local/state/quarry/sql-history');
  t.equal(historyFile({}), null);
  t.end();
});

t.test('statements are read newest first, each once, from a file that only its owner can read', async (t) => {
  const file = path.join(directoryFor(t), 'state/quarry/sql-history');
  const history = new History(new NodeFileSystem(), file);
  t.strictSame(await history.read(), []);
  for (const statement of ['SELECT 1;', 'SELECT "ü\n";', 'SELECT 1;']) await history.add(statement);
  t.strictSame(await history.read(), ['SELECT 1;', 'SELECT "ü\n";']);
  t.equal(fs.statSync(file).mode & 0o777, 0o600);
  t.strictSame(fs.readdirSync(path.dirname(file)), ['sql-history']);
});

t.test('the history keeps 1,000 statements and skips other lines', async (t) => {
  const disk = new FaultyDisk({});
  const lines = Array.from({ length: 1_500 }, (_, index) => `${JSON.stringify(`SELECT ${index};`)}\n`).join(
    '',
  );
  await disk.writeFile('/h/sql-history', Buffer.from(`${lines}{"not": "one"}\n"cut`));
  const history = new History(disk, '/h/sql-history');
  await history.add('SELECT 1500;');
  const read = await history.read();
  t.equal(read.length, 1_000);
  t.strictSame([read[0], read[999]], ['SELECT 1500;', 'SELECT 501;']);
});

t.test('a failing disk or a huge statement changes nothing', async (t) => {
  const disk = new FaultyDisk({ fault: (_step, call) => (call === 'rename' ? 'EIO' : undefined) });
  await disk.writeFile('/h/sql-history', Buffer.from('"SELECT 1;"\n'));
  const history = new History(disk, '/h/sql-history');
  await history.add('SELECT 2;');
  await history.add(`SELECT '${'x'.repeat(20_000)}';`);
  t.strictSame(await history.read(), ['SELECT 1;']);
  t.strictSame(await disk.list('/h'), ['sql-history']);
  await new History(disk, null).add('SELECT 3;');
});
