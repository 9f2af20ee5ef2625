/**
 * Reads and replaces the manifest, and removes files that it does not name.
 * Crash safety  the new manifest is written and synced next to the old one, then renamed over it, then the folder
 * is synced: at any time the name refers to one whole manifest. Files that no manifest names were left by
 * a checkpoint that did not finish or by an older one, and are removed after the swap and at start.
 */
import { CorruptionError } from '../base/index.js';
import { decodeManifest, encodeManifest, listFilesOf, type Manifest } from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import { SNAPSHOT_DIR } from './worker-snapshot.js';

const MANIFEST_FILE = 'manifest';

export async function readManifest(fs: FileSystem, dir: string): Promise<Manifest | null> {
  const file = `${dir}/${MANIFEST_FILE}`;
  return (await fs.exists(file)) ? decodeManifest(await fs.readFile(file), file) : null;
}

/** Rejects with an Error that says why `dir` holds neither a store nor a backup; accepts a damaged one. */
export async function requireStore(fs: FileSystem, dir: string): Promise<void> {
  if (await fs.exists(`${dir}/${MANIFEST_FILE}`)) return;
  throw new Error(`${dir} is neither a store nor a backup: it ${await emptiness(fs, dir, 'no manifest')}`);
}

/**
 * Rejects with a CorruptionError when `dir` holds snapshot files but no manifest: the files belong to a copy
 * that did not finish, or to a store that lost its manifest. A start would treat the folder as a new store and remove them.
 */
export async function refuseHalfStore(fs: FileSystem, dir: string): Promise<void> {
  const file = `${dir}/${MANIFEST_FILE}`;
  if ((await fs.exists(file)) || (await fs.list(`${dir}/${SNAPSHOT_DIR}`)).length === 0) return;
  const found = `but ${dir}/${SNAPSHOT_DIR} contains snapshot files, as after an unfinished restore`;
  throw new CorruptionError(file, 0, `the file is missing, ${found}`);
}

/** The predicate of a message about a folder that does not hold `wanted`. */
export async function emptiness(fs: FileSystem, dir: string, wanted: string): Promise<string> {
  if ((await fs.list(dir)).length > 0) return `holds ${wanted}`;
  return (await fs.exists(dir)) ? 'is empty' : 'does not exist';
}

export async function swapManifest(fs: FileSystem, dir: string, manifest: Manifest): Promise<void> {
  const beside = `${dir}/${MANIFEST_FILE}.new`;
  await fs.writeFile(beside, encodeManifest(manifest));
  await fs.rename(beside, `${dir}/${MANIFEST_FILE}`);
  await fs.syncDir(dir);
}

/** Removes snapshot files that none of `manifests` names, and folders that become empty. */
export async function removeUnreferenced(
  fs: FileSystem,
  dir: string,
  manifests: readonly Manifest[],
): Promise<void> {
  const live = new Set<string>();
  for (const manifest of manifests) {
    for (const { path } of [...manifest.files, ...listFilesOf(manifest)]) live.add(`${dir}/${path}`);
  }
  for (const name of await fs.list(`${dir}/${SNAPSHOT_DIR}`)) {
    const folder = `${dir}/${SNAPSHOT_DIR}/${name}`;
    const files = await filesIn(fs, folder);
    if (files === null) continue;
    let isEmpty = true;
    for (const file of files) {
      if (live.has(`${folder}/${file}`)) isEmpty = false;
      else await fs.remove(`${folder}/${file}`);
    }
    if (isEmpty) await fs.removeDir(folder);
  }
}

/** null when it is not a folder: a file that the server did not make is neither removed nor a reason to refuse the start. */
async function filesIn(fs: FileSystem, folder: string): Promise<readonly string[] | null> {
  return fs.list(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTDIR') throw error;
    return null;
  });
}
