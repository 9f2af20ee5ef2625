/**
 * A program for a page of the server's own origin, where the browser's `fetch` can reach the server. After `pageBundle`
 * has run in the page, `runInPage` is a property of its window.
 */
import path from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../tidy/source.js';

/** The result of `runInPage(key)`. */
export interface PageResult {
  readonly inserted: number;
  readonly count: number;
  /** The digits of an integer beyond 2^53. */
  readonly big: string;
  readonly rows: number;
  readonly code: number;
}

/** One script that contains the client and the program. */
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
