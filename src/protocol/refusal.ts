/** How a request that a worker could not do is told to the main thread, when that is no bug. */
import {
  CorruptionError,
  fromWire,
  QuarryError,
  toWire,
  type WireCorruption,
  type WireError,
} from '../base/index.js';

/** What the system said of a file, such as EIO. */
export interface WireSystemError {
  readonly code: string;
  readonly message: string;
}

export type WireRefusal =
  | { readonly error: WireError }
  | { readonly corruption: WireCorruption }
  | { readonly system: WireSystemError };

/** Of errno; the codes of Node's own errors, which would be bugs, have an underscore. */
const SYSTEM_CODE = /^E[A-Z0-9]+$/;

/** The error for the way, or null for a bug. */
export function toRefusal(error: unknown): WireRefusal | null {
  if (error instanceof QuarryError) return { error: toWire(error) };
  if (error instanceof CorruptionError) {
    const { file, offset, reason } = error;
    return { corruption: { file, offset, reason } };
  }
  const { code = '', message } = error as NodeJS.ErrnoException;
  return SYSTEM_CODE.test(code) ? { system: { code, message } } : null;
}

/** The error as it was; one of the system's with its code. */
export function fromRefusal(refusal: WireRefusal): Error {
  if ('error' in refusal) return fromWire(refusal.error);
  if ('system' in refusal) {
    const { code, message } = refusal.system;
    return Object.assign(new Error(message), { code });
  }
  const { file, offset, reason } = refusal.corruption;
  return new CorruptionError(file, offset, reason);
}
