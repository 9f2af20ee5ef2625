/** The README's shell blocks, and bash to run them. */
import { spawn, spawnSync } from 'node:child_process';
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
export function runShell(script: string, cwd: string): Promise<string> {
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
