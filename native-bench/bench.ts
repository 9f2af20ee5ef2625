/**
 * State shared by the lines of a run: the directory of files, the processes to end, and the count of checked answers.
 * Invariant: everything that a line starts is passed to `keep` in the same turn and ended by `end`, however the run ends.
 */
import fs from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Comparison } from './comparison.js';
import type { PeerProcess } from './peers/process.js';
import type { Scale } from './scale.js';

export interface Ending {
  close(): Promise<void>;
}

export class Bench {
  readonly scale: Scale;
  /** Seed of the generated people. */
  readonly seed: number;
  /** The directory of all files, which `end` removes. */
  readonly dir: string;
  readonly peers: readonly PeerProcess[];
  readonly say: (text: string) => void;
  /** Comparisons of the lines that have run. */
  comparisons: readonly Comparison[] = [];
  readonly #open = new Set<Ending>();
  #answersChecked = 0;
  #dirCount = 0;

  constructor(
    scale: Scale,
    seed: number,
    dir: string,
    peers: readonly PeerProcess[],
    say: (text: string) => void,
  ) {
    this.scale = scale;
    this.seed = seed;
    this.dir = dir;
    this.peers = peers;
    this.say = say;
    for (const peer of peers) this.keep(peer);
  }

  get answersChecked(): number {
    return this.#answersChecked;
  }

  keep<T extends Ending>(started: T): T {
    this.#open.add(started);
    return started;
  }

  async close(started: Ending): Promise<void> {
    await started.close();
    this.#open.delete(started);
  }

  /** An empty directory for one server. */
  newDir(): string {
    const dir = `${this.dir}/${++this.#dirCount}`;
    fs.mkdirSync(dir);
    return dir;
  }

  compare(comparison: Comparison): void {
    this.comparisons = [...this.comparisons, comparison];
  }

  /** Records the share of the memory bandwidth that the scans of a count reached. */
  reached(name: string, ofMemory: number): void {
    this.comparisons = this.comparisons.map((one) =>
      one.line === 'counts' && one.name === name ? { ...one, ofMemory } : one,
    );
  }

  /** Throws when an answer is not the expected one. */
  check<T>(what: string, found: T, wanted: T): void {
    this.#answersChecked++;
    if (!isDeepStrictEqual(found, wanted)) {
      throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
    }
  }

  /** Counts answers that were checked elsewhere. */
  checked(count: number): void {
    this.#answersChecked += count;
  }

  /** Ends everything that is open, newest first, and removes all files. */
  async end(): Promise<void> {
    for (const started of [...this.#open].reverse()) await started.close();
    this.#open.clear();
    fs.rmSync(this.dir, { recursive: true, force: true });
  }
}
