/**
 * A program for a page of the server's own origin, where the browser's `fetch` reaches it: `runInPage` of the page's window, once
 * `pageBundle` was run there.
 */
import path from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../tidy/source.js';

/** What `runInPage(key)` resolves with. */
export interface PageResult {
  readonly inserted: number;
  readonly count: number;
  /** The digits of an integer beyond 2^53. */
  readonly big: string;
  readonly rows: number;
  readonly code: number;
}

/** One script with the client and the program in it. */
export async function pageBundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(ROOT, 'test/client/page-program.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    external: ['apache-arrow'],
    logLevel: 'error',
  });
  return outputFiles[0].text;
}
