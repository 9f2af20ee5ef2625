/** What `npm run torture` was asked for. */
export interface Wanted {
  readonly rounds: number;
  /** Of the first round; each round says the one that repeats it alone. */
  readonly seed: number;
  /** Of each round, where a round is made of operations. */
  readonly operations: number;
  /** An empty folder, which is kept when something was wrong. */
  readonly dir: string;
}

/** Whether nothing was wrong; what was, and the figures, are printed. */
export type Torture = (wanted: Wanted) => Promise<boolean>;
