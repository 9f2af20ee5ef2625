/**
 * What lies on disk is not what was written there: the store refuses to open and changes nothing.
 * `file` and `offset` name the place, `reason` what is wrong with it.
 */
export class CorruptionError extends Error {
  override name = 'CorruptionError';
  readonly file: string;
  /** Byte in `file` at which the bad part begins. */
  readonly offset: number;
  readonly reason: string;

  constructor(file: string, offset: number, reason: string) {
    super(`${file} is corrupt at byte ${offset}: ${reason}`);
    this.file = file;
    this.offset = offset;
    this.reason = reason;
  }
}

/** A CorruptionError as it travels between threads. */
export type WireCorruption = Pick<CorruptionError, 'file' | 'offset' | 'reason'>;

/** A file that a newer release wrote: nothing is wrong with it, but this one cannot read it. */
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
