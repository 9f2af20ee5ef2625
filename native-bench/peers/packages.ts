/**
 * Locates the packages of the other databases: the development packages of the checkout if they are installed, otherwise
 * those in native-bench/node_modules (`npm install` in native-bench).
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const ownRequire = createRequire(new URL('../../../native-bench/package.json', import.meta.url));

/** The location of package `name`, as an address for import(). */
function pathOf(name: string): string {
  try {
    return import.meta.resolve(name);
  } catch {
    return pathToFileURL(ownRequire.resolve(name)).href;
  }
}

export const importDuckDb = (): Promise<typeof import('@duckdb/node-api')> =>
  import(pathOf('@duckdb/node-api'));
export const importChdb = (): Promise<typeof import('chdb')> => import(pathOf('chdb'));
