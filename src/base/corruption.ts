/**
 * The content of a file differs from what was written. The store refuses to open and changes nothing.
 * `file` and `offset` locate the damage, `reason` describes it.
 */
export class CorruptionError extends Error {
  override name = 'CorruptionError';
  readonly file: string;
  /** Offset in `file` at which the damage begins. */
  readonly offset: number;
  readonly reason: string;

  constructor(file: string, offset: number, reason: string) {
    super(`${file} is corrupt at byte ${offset}: ${reason}`);
    this.file = file;
    this.offset = offset;
    this.reason = reason;
  }
}

/** A CorruptionError in messages between threads. */
export type WireCorruption = Pick<CorruptionError, 'file' | 'offset' | 'reason'>;

/** A newer release wrote the file: it is intact, but this release cannot read it. */
export class NewerFormatError extends Error {
  override name = 'NewerFormatError';
  readonly file: string;

  constructor(file: string, what: string, version: number, versionMax: number) {
    super(
      `${file} is a ${what} of format version ${version}; this release reads up to version ${versionMax}: ` +
        'start a newer release',
    );
    this.file = file;
  }
}
