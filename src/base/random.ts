/** Returns `count` uniform random bytes. Passed as an argument, so that tests can choose the bytes. */
export type RandomBytes = (count: number) => Uint8Array;
