/**
 * Paths of the demo's files: small files in data/, the flights in the npm package `vega-datasets`. Read-only.
 * data/README.md names origin and licence of each file.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import type { FileSystem } from '../../io/index.js';

const { resolve } = createRequire(import.meta.url);
const PACKAGE_DATA = path.join(packageDir(), '../data');

/** Throws when only what serves is installed: the data is a development dependency. */
function packageDir(): string {
  try {
    return path.dirname(resolve('vega-datasets'));
  } catch {
    throw new Error("the demo's data is not installed: npm ci, without --omit=dev, installs it");
  }
}

export const DEMO_FILES = {
  airports: resolve('#data/airports.csv'),
  earthquakes: resolve('#data/earthquakes.json'),
  flights: path.join(PACKAGE_DATA, 'flights-3m.parquet'),
  flightsSmall: path.join(PACKAGE_DATA, 'flights-20k.json'),
} as const;

/** Reads a whole UTF-8 file. Rejects with the system's error. */
export async function readTextFile(files: FileSystem, file: string): Promise<string> {
  return new TextDecoder().decode(await files.readFile(file));
}
