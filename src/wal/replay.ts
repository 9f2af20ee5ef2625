/**
 * The read end of the write-ahead log: every record from an LSN on, in order, and the decision where the log ends.
 * Invariants: only valid records are returned; nothing on disk changes before `repair`, and nothing at all if the log is corrupt;
 * no record after a corrupt position is returned.
 */
import { CorruptionError, invariant, NewerFormatError } from '../base/index.js';
import {
  decodeLogFileHeader,
  frameBytes,
  frameBytesAt,
  LOG_FILE_HEADER_BYTES,
  LOG_FORMAT_VERSION,
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
  /** The position of its frame, for messages. */
  readonly file: string;
  readonly offset: number;
}

/** A file of the log, with its size including the space prepared for future records. */
export interface LogFileSize {
  readonly path: string;
  readonly bytes: number;
}

export interface LogEnd {
  /** LSN of the next record to be appended. */
  readonly nextLsn: number;
  /** The unfinished last write, if any: never acknowledged, truncated by `repair`. */
  readonly tornTail: { readonly file: string; readonly offset: number; readonly bytes: number } | null;
}

export interface LogReplayOptions {
  readonly fs: FileSystem;
  readonly dir: string;
  /** The first LSN wanted; earlier records of its file are checked and skipped. */
  readonly fromLsn: number;
  readonly pieceBytes?: number;
}

const PIECE_BYTES = 4 * 2 ** 20;
const FRAME_BYTES_MAX = frameBytes(RECORD_PAYLOAD_BYTES_MAX);

export class LogReplay implements AsyncIterable<LogEntry> {
  readonly #options: LogReplayOptions;
  #end: LogEnd | null = null;
  /** The last file, the end of its valid part, and the offset from which nothing proves that it was ever synced. */
  #last: { readonly path: string; readonly bytes: number; readonly syncedBytes: number } | null = null;

  constructor(options: LogReplayOptions) {
    this.#options = options;
  }

  /** The end of the log; known once all records were read. */
  get end(): LogEnd {
    invariant(this.#end !== null, 'the end of a log is known when all its records were read');
    return this.#end;
  }

  /** The files that contain the wanted records, in order. Throws CorruptionError if files are missing. */
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
   * Reads the records. Throws CorruptionError for an invalid record that was synced, for one that a single flipped bit explains,
   * for an invalid file header and for missing files; NewerFormatError for a file of a newer release.
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
   * Call after all records were read: truncates the torn tail and makes the last file durable, so that everything replayed
   * persists. Only then may a Log be opened. The truncation also frees the space prepared for further records.
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

  async *#records(
    handle: FileHandle,
    file: LogFileName,
    nextFile: LogFileName | undefined,
  ): AsyncGenerator<LogEntry, void, void> {
    const { fromLsn, pieceBytes = PIECE_BYTES } = this.#options;
    const { path } = file;
    // A short file is read in one short piece.
    const reader = new ReadAhead(handle, Math.min(pieceBytes, (await handle.size()) + 8) & ~7);
    try {
      const logId = checkHeader(await reader.peek(LOG_FILE_HEADER_BYTES), file);
      reader.skip(LOG_FILE_HEADER_BYTES);
      let offset = LOG_FILE_HEADER_BYTES;
      let lsn = file.firstLsn;
      /** Records that no later record proves to be synced, by ascending LSN. */
      const unproven: { readonly lsn: number; readonly offset: number }[] = [];
      while (lsn !== nextFile?.firstLsn) {
        const bytes = peekFrameNow(reader) ?? (await peekFrame(reader));
        const frame = readFrame(bytes, 0, lsn, logId);
        if (frame.kind !== 'ok') {
          const torn = await judgeEnd({ handle, path, offset, lsn, logId, frame, nextFile });
          this.#last = { path, bytes: offset, syncedBytes: unproven[0]?.offset ?? offset };
          this.#end = {
            nextLsn: Math.max(lsn, fromLsn),
            tornTail: torn > 0 ? { file: path, offset, bytes: torn } : null,
          };
          return;
        }
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
 * Rewrites the bytes of a file unchanged. After a failed sync the system still returns them, but no later sync writes them to the
 * disk unless they are rewritten.
 */
async function writeAgain(handle: FileHandle, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += PIECE_BYTES) {
    const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, to - at));
    const count = await handle.read(piece, at);
    invariant(count === piece.byteLength, 'a log file does not become shorter while it is opened');
    await handle.writev([piece], at);
  }
}

/** Checks the header and returns the file's ID. */
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
      `the header has first LSN ${header.firstLsn}, the file name ${firstLsn}`,
    );
  }
  return header.logId;
}

/** Returns the next frame if it is in memory in one piece. */
function peekFrameNow(reader: ReadAhead): Uint8Array | null {
  const header = reader.peekNow(RECORD_HEADER_BYTES);
  return header === null ? null : reader.peekNow(frameBytesAt(header, 0));
}

async function peekFrame(reader: ReadAhead): Promise<Uint8Array> {
  const header = await reader.peek(RECORD_HEADER_BYTES);
  if (header.byteLength < RECORD_HEADER_BYTES) return header;
  return reader.peek(Math.min(frameBytesAt(header, 0), FRAME_BYTES_MAX));
}
