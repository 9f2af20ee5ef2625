/** The README's life of a database, run as it stands there, with bash and curl, against a server. */
import t from 'tap';
import { answersTo, missingTools, shellBlocksUnder } from './shell.js';

t.setTimeout(120_000);

const missing = missingTools();

t.test(
  'every command of the README succeeds, and answers what the text around it says',
  { skip: missing.length > 0 && `not on this machine: ${missing.join(', ')}` },
  async (t) => {
    const [block] = shellBlocksUnder('The life of a database');
    const answers = await answersTo(t, block);
    t.strictSame(
      answers.map(({ status }) => status),
      answers.map(() => 'success'),
    );
    const has = (...members: object[]): void => {
      for (const member of members) t.match(answers.shift(), member);
    };
    has({ 'api-name': ['customers'] }, { 'api-name': ['country', 'order', 'paid'] });
    has({ columns_on_relation: ['order', 'paid'] });
    const inserted = { 'inserted-entities': 2, 'inserted-values': 4 };
    has(inserted, inserted, { result: { updated: 1 } }, { result: { chile: 1 } });
    has({ result: { total: 1 } }, { 'permission-groups': ['analysts'] }, { users: ['ada@example.com'] });
    has({ permissions: [1, 6], databases: ['shop'] });
    const usage = { 'inserted-entities': 2, 'inserted-values': 4, 'updated-entities': 1 };
    has({ name: 'shop', dimensions: ['default', 'customers'], usage });
    has({ 'api-name': ['country'] }, { 'api-name': ['country'] }, { 'api-name': ['paid'] });
    has({ result: { deleted: 1 } }, { 'database-name': ['old-shop'] }, { 'database-name': ['old-shop'] });
    t.strictSame(answers, []);
  },
);
