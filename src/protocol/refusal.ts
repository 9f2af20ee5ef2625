/** The form in which a worker reports a refused request to the main thread, as opposed to a bug. */
import {
  CorruptionError,
  fromWire,
  QuarryError,
  toWire,
  type WireCorruption,
  type WireError,
} from '../base/index.js';

/** A file error of the system, such as EIO. */
export interface WireSystemError {
  readonly code: string;
  readonly message: string;
}

export type WireRefusal =
  | { readonly error: WireError }
  | { readonly corruption: WireCorruption }
  | { readonly system: WireSystemError };

/** The codes of errno; the codes of Node's own errors, which would be bugs, have an underscore. */
const SYSTEM_CODE = /^E[A-Z0-9]+$/;

/** Returns the error in its wire form, or null for a bug. */
export function toRefusal(error: unknown): WireRefusal | null {
  if (error instanceof QuarryError) return { error: toWire(error) };
  if (error instanceof CorruptionError) {
    const { file, offset, reason } = error;
    return { corruption: { file, offset, reason } };
  }
  const { code = '', message } = error as NodeJS.ErrnoException;
  return SYSTEM_CODE.test(code) ? { system: { code, message } } : null;
}

/** Restores the error; a system error keeps its code. */
export function fromRefusal(refusal: WireRefusal): Error {
  if ('error' in refusal) return fromWire(refusal.error);
  if ('system' in refusal) {
    const { code, message } = refusal.system;
    return Object.assign(new Error(message), { code });
  }
  const { file, offset, reason } = refusal.corruption;
  return new CorruptionError(file, offset, reason);
}
