/** The arguments of `npm run torture`. */
export interface TortureOptions {
  readonly rounds: number;
  /** Seed of the first round; each round prints the seed that repeats only it. */
  readonly seed: number;
  /** Operations of each round, for kinds whose rounds consist of operations. */
  readonly operations: number;
  /** An empty folder, which is kept when an error was found. */
  readonly dir: string;
}

/** Runs rounds of one kind and prints errors and counts. Returns whether there was no error. */
export type Torture = (wanted: TortureOptions) => Promise<boolean>;
