import t from 'tap';
import {
  handleChangeGroup,
  handleCreateGroup,
  handleDeleteGroup,
  handleListGroups,
} from '../../../../src/http/endpoints/handlers/permission-group.js';
import { FakeEngine } from '../../fake-engine.js';
import { answerTo, teamCallOf } from '../../team-call.js';

t.test('a permission group is created, listed, changed and deleted', async (t) => {
  const engine = new FakeEngine();
  const body = { 'group-name': 'g', 'allowed-permissions': [1], 'allowed-databases': ['quarry'] };
  t.strictSame(await answerTo(handleCreateGroup, teamCallOf(engine, body)), { 'permission-groups': ['g'] });
  t.match([...engine.catalog().groups.values()], [{ name: 'g', permissions: [1], databaseIds: [1] }]);
  await t.rejects(answerTo(handleCreateGroup, teamCallOf(engine, body)), { code: 7000 });
  const change = { 'group-name': 'g', 'new-group-name': 'h', 'week-days': ['mon'] };
  t.strictSame(await answerTo(handleChangeGroup, teamCallOf(engine, change)), { 'permission-groups': ['h'] });
  t.match([...engine.catalog().groups.values()], [{ name: 'h', permissions: [1], weekDays: ['mon'] }]);
  t.match(await answerTo(handleListGroups, teamCallOf(engine)), {
    'permission-groups': [{ 'group-name': 'h', 'allowed-databases': ['quarry'], 'week-days': ['mon'] }],
  });
  t.strictSame(await answerTo(handleDeleteGroup, teamCallOf(engine, { 'group-name': 'h' })), {
    'permission-groups': ['h'],
  });
  t.equal(engine.catalog().groups.size, 0);
});
