/** The README's shell blocks, and bash and a server to run them. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import { ServerProcess } from '../support/server-process.js';
import { read } from '../tidy/source.js';

/** The shell blocks between the heading and the next one of its level. Throws when there is none. */
export function shellBlocksUnder(heading: string): string[] {
  const [, behind = ''] = read('README.md').split(`\n## ${heading}\n`);
  const [section] = behind.split('\n## ');
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
  if (blocks.length === 0) throw new Error(`README.md has no shell block under ${heading}`);
  return blocks;
}

/** What the script writes; rejects with it when a command fails. */
function runShell(script: string, cwd: string): Promise<string> {
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

/** Programs that the README's commands need and this machine lacks. */
export function missingTools(): string[] {
  return ['bash', 'curl'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
}

/** The lines that a script writes that is run as it stands against a server of its own. */
export async function linesOf(t: Test, script: string): Promise<string[]> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-readme-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const server = new ServerProcess({ dir: path.join(dir, 'store') });
  t.teardown(() => server.kill());
  const { httpsPort } = await server.serving;
  return (await runShell(script.replaceAll(':8443/', `:${httpsPort}/`), dir)).split(/\r?\n/);
}

/** The answers, in their order, to what such a script asks. */
export async function answersTo(t: Test, script: string): Promise<Record<string, unknown>[]> {
  return (await linesOf(t, script))
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
