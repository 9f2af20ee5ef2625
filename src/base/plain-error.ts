const SPEAKING = ['Error', 'CorruptionError', 'NewerFormatError', 'RemoteError', 'UnreachableError'];

/** Errors whose message says it all to a person who did not write the code; the others are bugs. */
export function speaksForItself(error: Error): boolean {
  const isOfSystem = typeof (error as NodeJS.ErrnoException).code === 'string';
  return isOfSystem || SPEAKING.includes(error.name);
}
