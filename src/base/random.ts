/** Uniform random bytes, `count` of them. An argument everywhere, so that tests can choose them. */
export type RandomBytes = (count: number) => Uint8Array;
