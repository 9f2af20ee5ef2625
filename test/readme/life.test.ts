/** The README's life of a database, run as it stands there, with bash and curl, against a server. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { ServerProcess } from '../support/server-process.js';
import { read } from '../tidy/source.js';

t.setTimeout(120_000);

/** The shell block under the heading. */
function blockUnder(heading: string): string {
  const text = read('README.md');
  const from = text.indexOf(`## ${heading}\n`);
  const block = /```sh\n([\s\S]*?)```/.exec(text.slice(from));
  if (from < 0 || block === null) throw new Error(`README.md has no shell block under ${heading}`);
  return block[1];
}

function run(script: string, cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd });
    let output = '';
    for (const stream of [shell.stdout, shell.stderr]) {
      stream.on('data', (part: Buffer) => {
        output += part.toString();
      });
    }
    shell.on('error', reject);
    shell.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`exit ${code}: ${output}`)),
    );
  });
}

const missing = ['bash', 'curl'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined);

t.test(
  'every command of the README succeeds, and answers what the text around it says',
  { skip: missing.length > 0 && `not on this machine: ${missing.join(', ')}` },
  async (t) => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-readme-'));
    t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
    const server = new ServerProcess({ dir: path.join(dir, 'store') });
    t.teardown(() => server.kill());
    const { httpsPort } = await server.serving;
    const script = blockUnder('The life of a database').replaceAll(':8443/', `:${httpsPort}/`);
    const answers = (await run(script, dir))
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
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
