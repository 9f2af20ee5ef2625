/**
 * The manifest on disk, and what it leaves unreferenced.
 * Crash safety  the new manifest is written and synced beside the old one, then renamed over it, then the folder
 * is synced: at every moment the name leads to one whole manifest. Files that no manifest names are left-overs of
 * a checkpoint that did not finish, or of an older one, and are removed after the swap and at start.
 */
import { decodeManifest, encodeManifest, type Manifest } from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import { SNAPSHOT_DIR } from './lane-snapshot.js';

const MANIFEST_FILE = 'manifest';

export async function readManifest(fs: FileSystem, dir: string): Promise<Manifest | null> {
  const file = `${dir}/${MANIFEST_FILE}`;
  return (await fs.exists(file)) ? decodeManifest(await fs.readFile(file), file) : null;
}

export async function swapManifest(fs: FileSystem, dir: string, manifest: Manifest): Promise<void> {
  const beside = `${dir}/${MANIFEST_FILE}.new`;
  await fs.writeFile(beside, encodeManifest(manifest));
  await fs.rename(beside, `${dir}/${MANIFEST_FILE}`);
  await fs.syncDir(dir);
}

/** Removes snapshot files that none of `manifests` names, and the folders that held no other. */
export async function removeUnreferenced(
  fs: FileSystem,
  dir: string,
  manifests: readonly Manifest[],
): Promise<void> {
  const live = new Set<string>();
  for (const { files, once } of manifests) {
    for (const { path } of files) live.add(`${dir}/${path}`);
    if (once != null) live.add(`${dir}/${once.path}`);
  }
  for (const name of await fs.list(`${dir}/${SNAPSHOT_DIR}`)) {
    const folder = `${dir}/${SNAPSHOT_DIR}/${name}`;
    let isEmpty = true;
    for (const file of await fs.list(folder)) {
      if (live.has(`${folder}/${file}`)) isEmpty = false;
      else await fs.remove(`${folder}/${file}`);
    }
    if (isEmpty) await fs.removeDir(folder);
  }
}
