/** A load as plain data, which the load process reads on standard input; and the start of that process. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Shape } from '../data/people.js';
import type { Target } from './connection.js';
import type { LoadResult } from './load.js';

export type LoadBodies =
  /** A body file (data/bodies.ts), the cheapest source. */
  | { readonly kind: 'file'; readonly file: string }
  /** People that are generated while sending, to fill a server and not to measure it. */
  | {
      readonly kind: 'people';
      readonly seed: number;
      readonly shape: Shape;
      readonly from: number;
      readonly to: number;
    }
  /** One body many times; every answer must hold `expected` (written without blanks). */
  | { readonly kind: 'repeat'; readonly body: string; readonly times: number; readonly expected: string };

export interface LoadJob {
  readonly target: Target;
  readonly connections: number;
  readonly bodies: LoadBodies;
  /** See runLoad. */
  readonly perSecond?: number;
}

/** Runs a load in a separate process. Rejects with the standard error of that process. */
export function spawnLoad(job: LoadJob): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [fileURLToPath(new URL('./main.js', import.meta.url))]);
    let out = '';
    let errors = '';
    child.stdout.on('data', (part) => {
      out += part;
    });
    child.stderr.on('data', (part) => {
      errors += part;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(out) as LoadResult);
      else reject(new Error(`the load ended with exit code ${code}: ${errors}`));
    });
    child.stdin.end(JSON.stringify(job));
  });
}
