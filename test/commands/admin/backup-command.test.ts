import path from 'node:path';
import t from 'tap';
import { backupHelp, readBackupLine } from '../../../src/commands/admin/backup-command.js';

t.test('the argument is the directory to create, relative to the current directory', (t) => {
  const line = readBackupLine(['monday', '--data-dir', 'd']);
  t.match(line, { request: { do: 'backup', to: path.resolve('monday') } });
  t.ok('flags' in line && line.flags.get('data-dir') === 'd');
  t.match(readBackupLine(['/mnt/monday']), { request: { do: 'backup', to: '/mnt/monday' } });
  t.ok(backupHelp.startsWith('quarry backup TO'));
  t.end();
});

t.test('other arguments are refused', (t) => {
  for (const words of [[], ['a', 'b']]) {
    t.match(readBackupLine(words), { wrong: 'backup takes one argument, the directory to create' });
  }
  t.match(readBackupLine(['a', '--force']), { wrong: "Unknown option '--force'" });
  t.end();
});
