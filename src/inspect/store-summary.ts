/**
 * Summarizes the files of a data directory without loading the data and without the lock: a server may have the store
 * open and change it meanwhile.
 */
import { CorruptionError } from '../base/index.js';
import { type Catalog, catalogFromPlain } from '../catalog/index.js';
import { listFilesOf, type Manifest, type SnapshotFileEntry } from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import { readManifest } from '../recovery/index.js';
import { type LogEnd, listLogFiles } from '../wal/index.js';
import { recordsFrom } from './log-records.js';

export interface DimensionFiles {
  readonly database: string;
  readonly dimension: string;
  /** Rows of entity files, including deleted entities, and of event files. */
  readonly entityRows: number;
  readonly eventRows: number;
  readonly fileCount: number;
  readonly bytes: number;
}

export interface StoreSummary {
  readonly dir: string;
  readonly storeId: string;
  readonly shardCount: number;
  readonly checkpointLsn: number;
  /** Time of the checkpoint, milliseconds since 1970-01-01. */
  readonly checkpointMs: number;
  readonly snapshotFileCount: number;
  readonly snapshotBytes: number;
  /** The number of Idempotency-Keys in the checkpoint. */
  readonly namedWriteCount: number;
  /** The number of line keys in the checkpoint. */
  readonly lineKeyCount: number;
  readonly dimensions: readonly DimensionFiles[];
  readonly logFiles: readonly { readonly file: string; readonly firstLsn: number; readonly bytes: number }[];
  /** Records after the checkpoint. */
  readonly recordCount: number;
  readonly recordBytes: number;
  readonly lastLsn: number;
  readonly tornTail: LogEnd['tornTail'];
}

/** Resolves with null when the directory holds no store. Rejects with CorruptionError or NewerFormatError, which name the file. */
export async function summarizeStore(fs: FileSystem, dir: string): Promise<StoreSummary | null> {
  for (;;) {
    const manifest = await readManifest(fs, dir);
    if (manifest === null) return null;
    try {
      return await summaryOf(fs, dir, manifest);
    } catch (error) {
      // A checkpoint that ended meanwhile may have removed files.
      const now = await readManifest(fs, dir);
      if (now === null || now.checkpointLsn === manifest.checkpointLsn) throw error;
    }
  }
}

async function summaryOf(fs: FileSystem, dir: string, manifest: Manifest): Promise<StoreSummary> {
  const { storeId, shardCount, checkpointLsn, createdMs, files, once, lineKeys } = manifest;
  const lists = listFilesOf(manifest);
  let recordCount = 0;
  let recordBytes = 0;
  let lastLsn = checkpointLsn;
  let tornTail: LogEnd['tornTail'] = null;
  const source = { fs, dir: `${dir}/log`, fromLsn: checkpointLsn + 1, manifest };
  const ended = (end: LogEnd): void => {
    tornTail = end.tornTail;
  };
  for await (const { lsn, payload } of recordsFrom(source, ended)) {
    recordCount++;
    recordBytes += payload.length;
    lastLsn = lsn;
  }
  return {
    ...{ dir, storeId, shardCount, checkpointLsn, checkpointMs: createdMs },
    snapshotFileCount: files.length + lists.length,
    snapshotBytes: [...files, ...lists].reduce((sum, { bytes }) => sum + bytes, 0),
    namedWriteCount: once?.entryCount ?? 0,
    lineKeyCount: lineKeys?.entryCount ?? 0,
    dimensions: dimensionsOf(files, catalogOf(manifest, dir)),
    logFiles: await logFilesOf(fs, `${dir}/log`),
    ...{ recordCount, recordBytes, lastLsn, tornTail },
  };
}

/** Decodes the catalog of the checkpoint. */
export function catalogOf({ catalog }: Manifest, dir: string): Catalog {
  try {
    return catalogFromPlain(catalog);
  } catch (error) {
    throw new CorruptionError(
      `${dir}/manifest`,
      0,
      `the catalog cannot be read: ${(error as Error).message}`,
    );
  }
}

function dimensionsOf(files: readonly SnapshotFileEntry[], catalog: Catalog): DimensionFiles[] {
  return [...catalog.databases.values()].flatMap((database) =>
    [...database.dimensions.values()].map((dimension) => {
      const own = files.filter(
        (file) => file.databaseId === database.id && file.dimensionId === dimension.id,
      );
      const rows = (kind: SnapshotFileEntry['kind']): number =>
        own.reduce((sum, file) => sum + (file.kind === kind ? file.rowCount : 0), 0);
      return {
        database: database.name,
        dimension: dimension.apiName,
        entityRows: rows('entities'),
        eventRows: rows('events'),
        fileCount: own.length,
        bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
      };
    }),
  );
}

async function logFilesOf(fs: FileSystem, dir: string): Promise<StoreSummary['logFiles']> {
  const files: { file: string; firstLsn: number; bytes: number }[] = [];
  for (const { path: file, firstLsn } of await listLogFiles(fs, dir)) {
    const handle = await fs.open(file, 'read');
    try {
      files.push({ file, firstLsn, bytes: await handle.size() });
    } finally {
      await handle.close();
    }
  }
  return files;
}
