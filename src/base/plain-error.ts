const SPEAKING = ['Error', 'CorruptionError', 'NewerFormatError', 'RemoteError', 'UnreachableError'];

/** Whether the message of an error is enough for a user; other errors are bugs and need their stack. */
export function isUserError(error: Error): boolean {
  const isOfSystem = typeof (error as NodeJS.ErrnoException).code === 'string';
  return isOfSystem || SPEAKING.includes(error.name);
}
