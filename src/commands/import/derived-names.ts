/** Names that an import derives from those of its files: prefixes of IDs, and files beside. */
import path from 'node:path';
import { BY_ENDING, COMPRESSION_ENDINGS } from './formats/format.js';
import { ImportError } from './formats/row-block.js';
import { isUrl } from './named-files.js';

/** Extensions that say what a file holds; whatever else follows a dot tells files apart. */
const CONTENT_ENDINGS = [...Object.keys(BY_ENDING), '.json', '.txt', '.log'];

const BAD_ENDING = '.bad.ndjson';

/** The last component of an address, or the name as it is. */
const localName = (name: string): string =>
  isUrl(name) ? path.posix.basename(new URL(name).pathname) || 'download' : name;

function withoutEnding(name: string, endings: readonly string[]): string {
  const ending = path.extname(name);
  return endings.includes(ending.toLowerCase()) ? name.slice(0, -ending.length) : name;
}

/** The prefix of IDs made of row numbers: the file's name without the extensions of formats and compressions. */
export const rowNameOf = (name: string): string =>
  name === '-'
    ? 'stdin'
    : withoutEnding(withoutEnding(path.basename(localName(name)), COMPRESSION_ENDINGS), CONTENT_ENDINGS);

/**
 * The default file of bad rows of each file of an import, by the file's name: numbered if another one has it, as for two addresses that
 * end alike. Files on the disk come first, so that the name on which resuming depends is the same whatever else is imported.
 */
export function badFilesOf(names: readonly string[]): (name: string) => string {
  const isRemote = (name: string): boolean => name === '-' || isUrl(name);
  const nameByFile = new Map<string, string>();
  for (const name of [...names.filter((one) => !isRemote(one)), ...names.filter(isRemote)])
    nameByFile.set(unusedFile(name, nameByFile), name);
  const found = new Map([...nameByFile].map(([file, name]) => [name, file]));
  return (name) => found.get(name) ?? sideFile(name, BAD_ENDING);
}

function unusedFile(name: string, used: ReadonlyMap<string, string>): string {
  let file = sideFile(name, BAD_ENDING);
  for (let count = 2; used.has(file); count++) file = sideFile(name, `-${count}${BAD_ENDING}`);
  return file;
}

/** The absolute path of a file beside the imported one; for standard input and addresses in the working directory. */
export const sideFile = (name: string, ending: string): string =>
  path.resolve(`${name === '-' ? 'stdin' : localName(name)}${ending}`);

/**
 * Rejects with ImportError if the rows of two files would get the same IDs, also if these differ only in case. `isNumbered` says
 * whether IDs are made of row numbers; it is called only for files with the same prefix.
 */
export async function refuseSameIds(
  names: readonly string[],
  isNumbered: (name: string) => Promise<boolean>,
): Promise<void> {
  const first = new Map<string, string>();
  const prefixes = names.map((name) => rowNameOf(name).toLowerCase());
  for (const [index, name] of names.entries()) {
    const prefix = prefixes[index];
    const isShared = prefixes.indexOf(prefix) !== prefixes.lastIndexOf(prefix);
    if (!isShared || !(await isNumbered(name))) continue;
    const other = first.get(prefix);
    if (other !== undefined) {
      throw new ImportError(
        `the rows of ${other} and ${name} would get the same IDs, ${rowNameOf(name)}:1 and so on, and replace each other: ` +
          'name the columns of an ID with --id, or import one of the files under another name',
      );
    }
    first.set(prefix, name);
  }
}
