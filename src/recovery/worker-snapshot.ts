/**
 * A worker's part in writing a checkpoint and in loading one.
 * Invariants: `LaneCheckpoint` fixes the content of all its segments when it is constructed (copy on write from then
 * on), so its files together hold the state at one LSN although writes continue; a segment that did not change since
 * its last file keeps that file. A file is whole and synced before its entry is returned. No file is ever overwritten:
 * after a checkpoint that failed during its swap it is unknown which manifest is durable, and so which files are live.
 */
import { crc32 } from 'node:zlib';
import { CorruptionError } from '../base/index.js';
import { type ArrowTable, decodeArrowFile, encodeArrowFile, type Lz4 } from '../column/index.js';
import type { SnapshotFileEntry } from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import { type DatabaseModel, type Dimension, storedDimension } from '../schema/index.js';
import type { DimensionKey, DimensionShard, Shard, SnapshotState } from '../storage/index.js';
import { copyEntities, copyEvents, LocalCodes } from './copy-segment.js';
import { restoreEntities, restoreEvents } from './restore-segment.js';

export const SNAPSHOT_DIR = 'snapshot';

/** Where snapshot files are stored and how they are compressed. */
export interface SnapshotStore {
  readonly fs: FileSystem;
  /** The data directory. */
  readonly dir: string;
  readonly lz4: Lz4;
}

/** One segment that needs a new file. */
interface Pending {
  readonly contents: Omit<SnapshotFileEntry, 'bytes' | 'crc32' | 'path'>;
  /** Path below the data directory, without the suffix that makes it unique and the extension. */
  readonly stem: string;
  readonly state: SnapshotState;
  readonly changeCount: number;
  table: ArrowTable | null;
}

export class WorkerCheckpoint {
  readonly #store: SnapshotStore;
  readonly #lsn: number;
  readonly #shardCount: number;
  readonly #pending: Pending[] = [];
  readonly #files: { readonly entry: SnapshotFileEntry; readonly state: SnapshotState }[] = [];
  readonly #local = new LocalCodes();
  readonly #dirs = new Set<string>();

  constructor(
    store: SnapshotStore,
    lsn: number,
    shardCount: number,
    shards: Iterable<Shard>,
    models: readonly DatabaseModel[],
  ) {
    this.#store = store;
    this.#lsn = lsn;
    this.#shardCount = shardCount;
    for (const shard of shards) {
      for (const { shard: source, ...key } of shard.dimensions()) {
        const model = models.find(({ id }) => id === key.databaseId);
        const dimension = model === undefined ? undefined : storedDimension(model, key.dimensionId);
        if (dimension !== undefined) this.#addDimension(shard.index, key, source, dimension);
      }
    }
  }

  #addDimension(shardIndex: number, key: DimensionKey, source: DimensionShard, dimension: Dimension): void {
    source.segments.forEach((segment, index) => {
      const rowCount = segment.rowCount;
      this.#add(
        { kind: 'entities', ...key, columnId: 0, shard: shardIndex, segment: index, rowCount },
        segment.snapshot,
        () => copyEntities(source, segment, rowCount, dimension, this.#local),
      );
    });
    for (const column of dimension.columns.values()) {
      const table = source.events.get(column.id);
      table?.segments.forEach((segment) => {
        const { eventCount: rowCount, number } = segment;
        this.#add(
          { kind: 'events', ...key, columnId: column.id, shard: shardIndex, segment: number, rowCount },
          segment.snapshot,
          () => copyEvents(segment, rowCount, column, source.dictionaries.get(column.id), this.#local),
        );
      });
    }
  }

  #add(
    contents: Omit<SnapshotFileEntry, 'bytes' | 'crc32' | 'path'>,
    state: SnapshotState,
    copy: () => ArrowTable,
  ): void {
    if (state.file !== null) {
      // A failed checkpoint may have written it without syncing its name.
      this.#dirs.add(dirOf(`${this.#store.dir}/${state.file.path}`));
      this.#files.push({ entry: state.file, state });
      return;
    }
    const what = contents.kind === 'entities' ? 'entities' : `events-c${contents.columnId}`;
    // The shard count is in the name, so that files of another count at the same LSN are never overwritten.
    const where = `s${contents.shard}of${this.#shardCount}-g${contents.segment}-l${this.#lsn}`;
    const pending: Pending = {
      contents,
      stem: `${SNAPSHOT_DIR}/d${contents.databaseId}-${contents.dimensionId}/${what}-${where}`,
      state,
      changeCount: state.changeCount,
      table: null,
    };
    state.copyIsDue(() => {
      pending.table = copy();
    });
    this.#pending.push(pending);
  }

  /** Writes the next file; resolves with true when all are written. */
  async step(): Promise<boolean> {
    const next = this.#pending.shift();
    if (next === undefined) return true;
    if (next.table === null) next.state.copyNow();
    if (next.table !== null && !next.state.forgotten) await this.#write(next, next.table);
    return this.#pending.length === 0;
  }

  async #write(pending: Pending, table: ArrowTable): Promise<void> {
    const { fs, dir: storeDir, lz4 } = this.#store;
    const bytes = await encodeArrowFile(table, lz4);
    const dir = dirOf(`${storeDir}/${pending.stem}`);
    if (!this.#dirs.has(dir)) await fs.makeDir(dir);
    this.#dirs.add(dir);
    const path = await unusedPath(fs, storeDir, pending.stem, '.arrow');
    await fs.writeFile(`${storeDir}/${path}`, bytes);
    const entry = { ...pending.contents, path, bytes: bytes.length, crc32: crc32(bytes) };
    pending.state.written(entry, pending.changeCount);
    this.#files.push({ entry, state: pending.state });
  }

  /**
   * Syncs the names of the files and resolves with the files of the whole checkpoint; called after the last step. A dimension
   * that was dropped meanwhile has no files, not even those already written: its drop is in the log, and a part of it would
   * not load. A dropped column keeps its files: records between this checkpoint and the drop may refer to its values.
   */
  async finish(): Promise<readonly SnapshotFileEntry[]> {
    try {
      for (const dir of this.#dirs) await this.#store.fs.syncDir(dir);
    } catch (error) {
      // It is unknown whether the names are durable, and a later sync may skip them: the files are rewritten.
      for (const { state } of this.#files) state.fileIsLost();
      throw error;
    }
    return this.#files.filter(({ state }) => !state.forgotten).map(({ entry }) => entry);
  }
}

/** An unused path below `storeDir`. */
export async function unusedPath(
  fs: FileSystem,
  storeDir: string,
  stem: string,
  ending: string,
): Promise<string> {
  let path = stem + ending;
  for (let attempt = 2; await fs.exists(`${storeDir}/${path}`); attempt++) {
    path = `${stem}-${attempt}${ending}`;
  }
  return path;
}

const dirOf = (file: string): string => file.slice(0, file.lastIndexOf('/'));

/** Reads one snapshot file and checks it against its entry. Throws CorruptionError. */
export async function readSnapshotFile(store: SnapshotStore, entry: SnapshotFileEntry): Promise<ArrowTable> {
  return checkedTable(store, entry, await readBytes(store, entry));
}

/** Returns the file's bytes, or null if it is missing. */
function readBytes({ fs, dir }: SnapshotStore, { path }: SnapshotFileEntry): Promise<Uint8Array | null> {
  return fs.readFile(`${dir}/${path}`).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

function checkedTable(store: SnapshotStore, entry: SnapshotFileEntry, bytes: Uint8Array | null): ArrowTable {
  const file = `${store.dir}/${entry.path}`;
  if (bytes === null) throw new CorruptionError(file, 0, 'the manifest names this file, but it is missing');
  if (bytes.length !== entry.bytes) {
    throw new CorruptionError(file, bytes.length, `the file should have ${entry.bytes} bytes`);
  }
  if (crc32(bytes) !== entry.crc32) {
    throw new CorruptionError(file, 0, 'the checksum does not match the manifest');
  }
  const table = decodeArrowFile(bytes, store.lz4, file);
  if (table.rowCount !== entry.rowCount) {
    throw new CorruptionError(file, 0, `the file should have ${entry.rowCount} rows`);
  }
  return table;
}

/** The order in which files are loaded: entity segments by number, then the event segments of each column by number. */
export function inLoadOrder(files: readonly SnapshotFileEntry[]): readonly SnapshotFileEntry[] {
  return [...files].sort(
    (a, b) => a.kind.localeCompare(b.kind) || a.columnId - b.columnId || a.segment - b.segment,
  );
}

/** Loads the files of the given shards. Resolves with the loaded rows and file bytes. */
export async function loadSnapshot(
  store: SnapshotStore,
  files: readonly SnapshotFileEntry[],
  shards: ReadonlyMap<number, Shard>,
): Promise<{ rowCount: number; bytes: number }> {
  const ordered = inLoadOrder(files);
  const restored = new Set<DimensionShard>();
  let rowCount = 0;
  let bytes = 0;
  let next = ordered.length > 0 ? readBytes(store, ordered[0]) : null;
  for (let index = 0; index < ordered.length; index++) {
    const entry = ordered[index];
    const read = await next;
    // Reads the next file while this one is restored.
    next = index + 1 < ordered.length ? readBytes(store, ordered[index + 1]) : null;
    next?.catch(() => {});
    const shard = shards.get(entry.shard)?.dimension(entry);
    if (shard === undefined) throw new Error(`shard ${entry.shard} is not in this worker`);
    const table = checkedTable(store, entry, read);
    const segment =
      entry.kind === 'entities' ? restoreEntities(shard, table) : restoreEvents(shard, entry, table);
    segment.snapshot.written(entry, segment.snapshot.changeCount);
    restored.add(shard);
    rowCount += entry.rowCount;
    bytes += entry.bytes;
  }
  for (const shard of restored) shard.finishRestore();
  return { rowCount, bytes };
}
