/**
 * Reads the write-ahead log: every record from an LSN on, in order, and the position of the end of the log.
 * Invariants: only valid records are returned; nothing on disk changes before `repair`, and nothing at all when
 * the log is corrupt; no record after the corrupt offset is returned.
 */
import { CorruptionError, invariant, NewerFormatError } from '../base/index.js';
import {
  decodeLogFileHeader,
  type Frame,
  frameBytes,
  frameBytesAt,
  LOG_FILE_HEADER_BYTES,
  LOG_FORMAT_VERSION,
  type Manifest,
  RECORD_HEADER_BYTES,
  RECORD_PAYLOAD_BYTES_MAX,
  readFrame,
} from '../format/index.js';
import type { FileHandle, FileSystem } from '../io/index.js';
import { type LogFileName, listLogFiles } from './names.js';
import { ReadAhead } from './read-ahead.js';
import { judgeEnd } from './tail.js';

export interface LogEntry {
  readonly lsn: number;
  /** 8-aligned; stays valid as long as it is referenced. */
  readonly payload: Uint8Array;
  /** Position of its frame, for messages. */
  readonly file: string;
  readonly offset: number;
}

/** A file of the log; the size includes the space prepared for later records. */
export interface LogFileSize {
  readonly path: string;
  readonly bytes: number;
}

export interface LogEnd {
  /** LSN of the next record to be appended. */
  readonly nextLsn: number;
  /** The unfinished last write, if there is one: it was never acknowledged, and `repair` truncates it. */
  readonly tornTail: { readonly file: string; readonly offset: number; readonly bytes: number } | null;
}

export interface LogReplayOptions {
  readonly fs: FileSystem;
  readonly dir: string;
  /** The first LSN to return; earlier records of its file are checked and skipped. */
  readonly fromLsn: number;
  /**
   * The manifest that the log belongs to. The log must reach its checkpoint, and no record after `restoredLsn` may note a
   * later checkpoint. Absent for an archive, which may end before a backup and note later checkpoints.
   */
  readonly manifest?: Pick<Manifest, 'checkpointLsn' | 'restoredLsn'> | null;
  readonly pieceBytes?: number;
}

type ValidFrame = Extract<Frame, { kind: 'ok' }>;

const PIECE_BYTES = 4 * 2 ** 20;
const FRAME_BYTES_MAX = frameBytes(RECORD_PAYLOAD_BYTES_MAX);

export class LogReplay implements AsyncIterable<LogEntry> {
  readonly #options: LogReplayOptions;
  #end: LogEnd | null = null;
  /** The last file, the end of its valid part, and the offset after which no record is proven to have been synced. */
  #last: { readonly path: string; readonly bytes: number; readonly syncedBytes: number } | null = null;

  constructor(options: LogReplayOptions) {
    this.#options = options;
  }

  /** The end of the log; known when all records were read. */
  get end(): LogEnd {
    invariant(this.#end !== null, 'the end of a log is known when all its records were read');
    return this.#end;
  }

  /** The files that hold the records from `fromLsn` on, in order. Throws CorruptionError for missing files. */
  async files(): Promise<readonly LogFileSize[]> {
    const { fs, fromLsn } = this.#options;
    const sizes: LogFileSize[] = [];
    for (const { path } of await this.#filesFrom(fromLsn)) {
      const handle = await fs.open(path, 'read');
      try {
        sizes.push({ path, bytes: await handle.size() });
      } finally {
        await handle.close();
      }
    }
    return sizes;
  }

  /**
   * Reads the records. Throws CorruptionError for a bad record that was synced, for one that a single bit flip
   * explains, for a bad file header, for missing files and for a log that contradicts the manifest; NewerFormatError for a
   * file of a newer release.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<LogEntry, void, void> {
    const { fs, fromLsn } = this.#options;
    const files = await this.#filesFrom(fromLsn);
    for (let index = 0; index < files.length; index++) {
      const handle = await fs.open(files[index].path, 'read');
      try {
        yield* this.#records(handle, files[index], files[index + 1]);
      } finally {
        await handle.close();
      }
    }
    this.#end ??= { nextLsn: fromLsn, tornTail: null };
  }

  /**
   * After all records were read: truncates the torn tail and makes the last file durable, so that everything replayed
   * stays. Only then may a Log be opened. The truncation also frees the space prepared for later records.
   */
  async repair(): Promise<LogEnd> {
    const { end } = this;
    if (this.#last !== null) {
      const { path, bytes, syncedBytes } = this.#last;
      const handle = await this.#options.fs.open(path, 'read-write');
      try {
        if ((await handle.size()) > bytes) await handle.truncate(bytes);
        await writeAgain(handle, syncedBytes, bytes);
        await handle.dataSync();
      } finally {
        await handle.close();
      }
    }
    return end;
  }

  /** The file that contains fromLsn, and all later ones. */
  async #filesFrom(fromLsn: number): Promise<LogFileName[]> {
    const { fs, dir } = this.#options;
    const files = await listLogFiles(fs, dir);
    const first = files.findLastIndex((file) => file.firstLsn <= fromLsn);
    if (first >= 0) return files.slice(first);
    if (files.length > 0) {
      const missing = `records ${fromLsn} to ${files[0].firstLsn - 1} are missing: no log file contains them`;
      throw new CorruptionError(files[0].path, 0, missing);
    }
    if (fromLsn > 1)
      throw new CorruptionError(dir, 0, `the log is missing: it should continue at LSN ${fromLsn}`);
    return [];
  }

  /** A manifest becomes durable after all records up to its checkpoint, so a log that ends below it has lost some. */
  #checkEnd(path: string, offset: number, nextLsn: number): void {
    const checkpointLsn = this.#options.manifest?.checkpointLsn ?? 0;
    if (nextLsn > checkpointLsn) return;
    const found = `the log ends at LSN ${nextLsn - 1}, below the manifest's checkpoint at LSN ${checkpointLsn}`;
    throw new CorruptionError(path, offset, `${found}: acknowledged records are lost`);
  }

  /** A record notes a checkpoint whose manifest is durable, so an older manifest was put in its place. */
  #checkNote(path: string, offset: number, { lsn, checkpointLsn: noted }: ValidFrame): void {
    const { manifest } = this.#options;
    if (!manifest || noted <= manifest.checkpointLsn || lsn <= (manifest.restoredLsn ?? 0)) return;
    const found = `record ${lsn} notes a checkpoint at LSN ${noted}, but the manifest's checkpoint is at LSN ${manifest.checkpointLsn}`;
    throw new CorruptionError(path, offset, `${found}: the manifest is older than the log`);
  }

  async *#records(
    handle: FileHandle,
    file: LogFileName,
    nextFile: LogFileName | undefined,
  ): AsyncGenerator<LogEntry, void, void> {
    const { fromLsn, pieceBytes = PIECE_BYTES } = this.#options;
    const { path } = file;
    // A short file is read in one piece.
    const reader = new ReadAhead(handle, Math.min(pieceBytes, (await handle.size()) + 8) & ~7);
    try {
      const logId = checkHeader(await reader.peek(LOG_FILE_HEADER_BYTES), file);
      reader.skip(LOG_FILE_HEADER_BYTES);
      let offset = LOG_FILE_HEADER_BYTES;
      let lsn = file.firstLsn;
      /** Records that no later record proves to have been synced, by ascending LSN. */
      const unproven: { readonly lsn: number; readonly offset: number }[] = [];
      while (lsn !== nextFile?.firstLsn) {
        const bytes = peekFrameNow(reader) ?? (await peekFrame(reader));
        const frame = readFrame(bytes, 0, lsn, logId);
        if (frame.kind !== 'ok') {
          const torn = await judgeEnd({ handle, path, offset, lsn, logId, frame, nextFile });
          this.#checkEnd(path, offset, lsn);
          this.#last = { path, bytes: offset, syncedBytes: unproven[0]?.offset ?? offset };
          this.#end = {
            nextLsn: Math.max(lsn, fromLsn),
            tornTail: torn > 0 ? { file: path, offset, bytes: torn } : null,
          };
          return;
        }
        this.#checkNote(path, offset, frame);
        reader.skip(frame.next);
        unproven.push({ lsn, offset });
        while (unproven.length > 0 && unproven[0].lsn <= frame.syncedLsn) unproven.shift();
        if (lsn >= fromLsn) yield { lsn, payload: frame.payload, file: path, offset };
        offset += frame.next;
        lsn++;
      }
    } finally {
      await reader.stop();
    }
  }
}

/**
 * Rewrites a range of a file unchanged. If an earlier sync of these bytes failed, the kernel may still return them but no
 * sync writes them to disk, unless they are written again.
 */
async function writeAgain(handle: FileHandle, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += PIECE_BYTES) {
    const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, to - at));
    const count = await handle.read(piece, at);
    invariant(count === piece.byteLength, 'a log file does not become shorter while it is opened');
    await handle.writev([piece], at);
  }
}

/** Returns the file's id. Throws when the header does not match the file's name or this release. */
function checkHeader(bytes: Uint8Array, { path, firstLsn }: LogFileName): bigint {
  const header = decodeLogFileHeader(bytes);
  if (typeof header === 'string') throw new CorruptionError(path, 0, header);
  if (header.version > LOG_FORMAT_VERSION) {
    throw new NewerFormatError(path, 'log file', header.version, LOG_FORMAT_VERSION);
  }
  if (header.firstLsn !== firstLsn) {
    throw new CorruptionError(
      path,
      16,
      `its header begins at LSN ${header.firstLsn}, its name at LSN ${firstLsn}`,
    );
  }
  return header.logId;
}

/** The next frame if it is in memory in one piece, else null. It is cut where the file ends. */
function peekFrameNow(reader: ReadAhead): Uint8Array | null {
  const header = reader.peekNow(RECORD_HEADER_BYTES);
  return header === null ? null : reader.peekNow(frameBytesAt(header, 0));
}

async function peekFrame(reader: ReadAhead): Promise<Uint8Array> {
  const header = await reader.peek(RECORD_HEADER_BYTES);
  if (header.byteLength < RECORD_HEADER_BYTES) return header;
  return reader.peek(Math.min(frameBytesAt(header, 0), FRAME_BYTES_MAX));
}
