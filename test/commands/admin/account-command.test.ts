import t from 'tap';
import { ACCOUNT_STATES } from '../../../src/catalog/index.js';
import { accountHelp, readAccountLine } from '../../../src/commands/admin/account-command.js';

t.test('account without an argument shows the state, and with an argument sets it', (t) => {
  t.match(readAccountLine([]), { request: { do: 'account', state: null } });
  for (const state of ACCOUNT_STATES) {
    t.match(readAccountLine([state, '--data-dir', 'd']), { request: { do: 'account', state } });
    t.ok(accountHelp.includes(state), 'the help text names the state');
  }
  t.end();
});

t.test('other arguments are refused', (t) => {
  t.match(readAccountLine(['Active']), { wrong: /^account: expected one of active, .*, not "Active"$/ });
  t.match(readAccountLine(['active', 'banned']), { wrong: 'account takes at most one state' });
  t.match(readAccountLine(['--force']), { wrong: "Unknown option '--force'" });
  t.end();
});
