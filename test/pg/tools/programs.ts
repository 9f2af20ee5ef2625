/** Programs of Debian's packages that tests run; a test without its program is skipped with the reason. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The reason to skip a test; false = every file exists. */
export function skipWithout(files: readonly string[], packages: string): string | false {
  const missing = files.find((file) => !fs.existsSync(file));
  return missing === undefined ? false : `${missing} is missing; it belongs to the packages ${packages}`;
}

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
}

/** Rejects with both outputs unless the program ends with 0. `input` is its standard input. */
export async function output(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<Ran> {
  const running = run(file, args, { env: { ...process.env, ...env }, timeout: 60_000 });
  running.child.stdin?.end(input);
  return running;
}
