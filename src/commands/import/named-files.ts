/** The files that the arguments of `quarry import` name: files, directories, patterns, addresses, standard input. */
import path from 'node:path';
import type { FileSystem } from '../../io/index.js';
import { BY_ENDING, endingOf } from './formats/format.js';
import { ImportError } from './formats/row-block.js';

export const isUrl = (name: string): boolean => /^https?:\/\//i.test(name);

/** Files that imports write beside those that they read. */
const OWN = /\.(?:import\.json|bad\.ndjson)$/;
const PATTERN = /[*?[]/;

/**
 * In the order of the arguments, those of a directory or pattern by name. Rejects with ImportError if one names no file, with the
 * system's error if a folder cannot be read.
 */
export async function namedFiles(names: readonly string[], files: FileSystem): Promise<readonly string[]> {
  const folders = new Folders(files);
  const found: string[] = [];
  for (const name of names) {
    if (name === '-' || isUrl(name)) found.push(name);
    else if (await folders.isFolder(name)) found.push(...(await filesIn(name, folders)));
    else if (PATTERN.test(name) && !(await files.exists(path.resolve(name))))
      found.push(...(await filesLike(name, folders)));
    else found.push(name);
  }
  return [...new Set(found)];
}

class Folders {
  readonly #files: FileSystem;

  constructor(files: FileSystem) {
    this.#files = files;
  }

  /** The names in a folder, sorted; null = it is no folder. */
  async names(name: string): Promise<readonly string[] | null> {
    const dir = path.resolve(name);
    try {
      const names = await this.#files.list(dir);
      return names.length > 0 || (await this.#files.exists(dir)) ? names : null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return null;
      throw error;
    }
  }

  async isFolder(name: string): Promise<boolean> {
    return (await this.names(name)) !== null;
  }

  exists(name: string): Promise<boolean> {
    return this.#files.exists(path.resolve(name));
  }
}

async function filesIn(dir: string, folders: Folders): Promise<string[]> {
  const found: string[] = [];
  for (const name of (await folders.names(dir)) ?? []) {
    const file = path.join(dir, name);
    if (isImported(name) && !(await folders.isFolder(file))) found.push(file);
  }
  if (found.length > 0) return found;
  throw new ImportError(`${dir} has no file whose name ends in one of ${Object.keys(BY_ENDING).join(', ')}`);
}

const isImported = (name: string): boolean => endingOf(name) in BY_ENDING && !OWN.test(name);

/** Every component of the path may have the patterns *, ? and [...]; names that begin with a dot match only a dot. */
async function filesLike(pattern: string, folders: Folders): Promise<string[]> {
  const { root } = path.parse(pattern);
  const components = pattern
    .slice(root.length)
    .split(path.sep)
    .filter((component) => component !== '');
  let found = [root];
  for (const [at, component] of components.entries()) {
    const next: string[] = [];
    for (const dir of found) next.push(...(await matching(dir, component, folders)));
    const isLast = at === components.length - 1;
    found = [];
    for (const one of next) if ((await folders.isFolder(one)) !== isLast) found.push(one);
  }
  if (found.length === 0) throw new ImportError(`no file matches ${pattern}`);
  return found;
}

async function matching(dir: string, component: string, folders: Folders): Promise<string[]> {
  if (!PATTERN.test(component)) {
    const one = path.join(dir, component);
    return (await folders.exists(one)) ? [one] : [];
  }
  const form = formOf(component);
  const names = (await folders.names(dir)) ?? [];
  return names.filter((name) => form.test(name) && !OWN.test(name)).map((name) => path.join(dir, name));
}

function formOf(component: string): RegExp {
  const source = component.replace(/\[!?[^\]]+\]|[*?]|[^*?[\]]+|[[\]]/g, (part) => {
    if (part === '*') return '.*';
    if (part === '?') return '.';
    if (/^\[!?[^\]]/.test(part) && part.endsWith(']'))
      return part.replace(/^\[!/, '[^').replaceAll('\\', '\\\\');
    return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${/^\./.test(component) ? '' : '(?!\\.)'}${source}$`, 's');
}
