/** The README's shell blocks, and bash and a server to run them. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import { ServerProcess } from '../support/server-process.js';
import { read } from '../tidy/source.js';

/** What stands between the heading and the next one of its level. */
export function chapter(heading: string): string {
  const [, behind = ''] = read('README.md').split(`\n## ${heading}\n`);
  return behind.split('\n## ')[0];
}

/** The chapter's blocks in that language. Throws when there is none. */
export function blocksUnder(heading: string, language: 'sh' | 'ts'): string[] {
  const pattern = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g');
  const blocks = [...chapter(heading).matchAll(pattern)].map(([, block]) => block);
  if (blocks.length === 0) throw new Error(`README.md has no block of ${language} under ${heading}`);
  return blocks;
}

export const shellBlocksUnder = (heading: string): string[] => blocksUnder(heading, 'sh');

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

/** Those of the programs that this machine lacks; what the README's commands need, unless others are named. */
export function missingTools(tools: readonly string[] = ['bash', 'curl']): string[] {
  return tools.filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
}

/** A server, and the README's commands for it. */
export interface ReadmeSite {
  readonly server: ServerProcess;
  readonly httpsPort: number;
  /** Where commands run: the data directory is `store` in it. */
  readonly dir: string;
  /** The lines that the commands write, as they stand but for the port. */
  linesOf(script: string): Promise<string[]>;
}

/** Starts a server that ends with the test. */
export async function startSite(t: Test, flags: readonly string[] = []): Promise<ReadmeSite> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-readme-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const server = new ServerProcess({ dir: path.join(dir, 'store'), flags });
  t.teardown(() => server.kill());
  const { httpsPort } = await server.serving;
  const linesOf = async (script: string): Promise<string[]> =>
    (await runShell(script.replaceAll(':8443/', `:${httpsPort}/`), dir)).split(/\r?\n/);
  return { server, httpsPort, dir, linesOf };
}

/** The lines that a script writes that is run as it stands against a server of its own. */
export const linesOf = async (t: Test, script: string): Promise<string[]> =>
  (await startSite(t)).linesOf(script);

/** The answers, in their order, to what such a script asks. */
export async function answersTo(t: Test, script: string): Promise<Record<string, unknown>[]> {
  return (await linesOf(t, script))
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
