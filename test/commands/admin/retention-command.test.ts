import t from 'tap';
import { readRetentionLine, retentionHelp } from '../../../src/commands/admin/retention-command.js';

t.test('retention without an argument shows the state, and resume resumes retention', (t) => {
  t.match(readRetentionLine([]), { request: { do: 'retention', resume: false } });
  t.match(readRetentionLine(['resume', '--data-dir', 'd']), { request: { do: 'retention', resume: true } });
  t.ok(retentionHelp.includes('quarry retention [resume]'));
  t.end();
});

t.test('other arguments are refused', (t) => {
  for (const words of [['Resume'], ['on'], ['resume', 'resume']]) {
    t.match(readRetentionLine(words), { wrong: 'retention takes no arguments, or resume' });
  }
  t.match(readRetentionLine(['--force']), { wrong: "Unknown option '--force'" });
  t.end();
});
