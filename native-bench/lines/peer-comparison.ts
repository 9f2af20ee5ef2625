/** Times one question in the other databases, round by round. */
import type { Bench } from '../bench.js';
import type { Comparison } from '../comparison.js';
import { percentile } from '../load/load.js';
import { type Spread, spreadOf } from '../measure.js';

/** A database that needs longer for a question is skipped after `ROUNDS_MIN` rounds, to limit the time of a run. */
const PEER_SECONDS_MAX = 15;
const ROUNDS_MIN = 3;

export class PeerComparison {
  readonly #bench: Bench;
  /** By peer. */
  readonly #seconds: number[];
  /** By peer, p50 of each round in milliseconds. */
  readonly #p50s: readonly number[][];

  constructor(bench: Bench) {
    this.#bench = bench;
    this.#seconds = bench.peers.map(() => 0);
    this.#p50s = bench.peers.map(() => []);
  }

  /** Measures every peer that is not skipped; each answer must be `expected`. */
  async query(sql: string, expected: number): Promise<void> {
    const { peers, scale } = this.#bench;
    for (const [at, peer] of peers.entries()) {
      if (this.#seconds[at] > PEER_SECONDS_MAX && this.#p50s[at].length >= ROUNDS_MIN) continue;
      const startedMs = performance.now();
      // One untimed query first, as for the server.
      await peer.time(sql, 1, expected);
      const ms = await peer.time(sql, scale.peerCountsPerRound, expected);
      this.#bench.checked(1 + scale.peerCountsPerRound);
      this.#p50s[at].push(percentile(Float64Array.from(ms).sort(), 0.5));
      this.#seconds[at] += (performance.now() - startedMs) / 1000;
    }
  }

  /** By peer. */
  get spreads(): readonly Spread[] {
    return this.#p50s.map(spreadOf);
  }

  /** Records the comparison with the server's times. */
  compare({ line, name }: Pick<Comparison, 'line' | 'name'>, quarry: Spread, p99: Spread): void {
    const peers = this.spreads.map((spread, at) => ({ name: this.#bench.peers[at].name, spread }));
    this.#bench.compare({ line, name, unit: 'ms', better: 'less', quarry, p99, peers, ofMemory: null });
  }
}
