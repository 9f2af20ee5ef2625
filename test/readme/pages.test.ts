/** Every command of README.md and docs/ is run unchanged, and its output is compared with that on the page. */
import t from 'tap';
import { exists, read } from '../tidy/source.js';
import { blocksOf, looksLike, PAGES } from './pages.js';
import { checkOutputs, missingTools, runPage } from './shell.js';

t.setTimeout(300_000);

/** Pages whose commands are run by another test, which also checks the answers. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/http-api.md': 'test/readme/http-api.test.ts',
  'docs/sql.md': 'test/readme/sql.test.ts',
  'docs/postgres.md': 'test/readme/clients.test.ts',
};

const missing = missingTools();
const skip = missing.length > 0 && `not installed: ${missing.join(', ')}`;

t.test('an output is compared line by line, and ... matches any text', async (t) => {
  t.ok(looksLike('{"took":0.1}\n', '{"took":...}\n'));
  t.ok(looksLike('a  \n\nb\n', 'a\nb\n'));
  t.ok(looksLike('a\nb\nc\n', 'a\n...\nc\n'));
  t.ok(looksLike('a\nc\n', 'a\n...\nc\n'));
  t.notOk(looksLike('a\nb\nc\n', 'a\nc\n'));
  t.notOk(looksLike('a.b\n', 'a+b\n'));
  t.notOk(looksLike('axb\n', 'a.b\n'));
});

t.test('a test runs every block of commands', async (t) => {
  for (const block of PAGES.flatMap(blocksOf)) {
    const location = `${block.page}:${block.line}`;
    if (block.language === '') t.fail(`${location} names no language`);
    if (block.language !== 'sh') continue;
    const [, file] = /^test=(.+)$/.exec(block.role) ?? [];
    if (file === undefined) t.ok(['', 'server'].includes(block.role), `${location}: ${block.role}`);
    else t.ok(exists(file), `${location}: ${file} exists`);
  }
});

for (const page of PAGES) {
  const commands = blocksOf(page).filter(({ language, role }) => language === 'sh' && role === '');
  if (commands.length === 0) continue;
  const elsewhere = RUN_ELSEWHERE[page];
  if (elsewhere !== undefined) {
    t.test(`${page} is run by ${elsewhere}`, async (t) => {
      t.match(read(elsewhere), `runPage(t, '${page}'`);
      t.match(read(elsewhere), 'checkOutputs(t, ran)');
    });
    continue;
  }
  t.test(`the commands of ${page} run and print the output on the page`, { skip }, async (t) => {
    const { ran } = await runPage(t, page);
    t.equal(ran.length, commands.length);
    checkOutputs(t, ran);
  });
}

t.test('a page has at most one output per block of commands, and no other output', async (t) => {
  for (const page of PAGES) {
    const blocks = blocksOf(page);
    const outputs = blocks.filter(({ output }) => output !== null).length;
    const texts = [...read(page).matchAll(/^```text$/gm)].length;
    t.equal(texts, outputs, `${page}: every text block follows a block of commands`);
  }
});
