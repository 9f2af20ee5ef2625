/**
 * Rounds of kill -9: writers send requests, the server is killed at a random time and restarted on the same directory, and
 * every request is checked. The times are drawn from the seed: during writes, in and around checkpoints, soon after the
 * server began to serve, and while it starts (also during log replay).
 */
import { Prng } from '../../../src/base/index.js';
import { JsonClient } from '../../support/json-client.js';
import { runCommand, ServerProcess } from '../../support/server-process.js';
import { Checker, type Findings, noFindings } from './check.js';
import { Journal, type Kind } from './journal.js';
import { FIXED_COLUMNS } from './row-requests.js';
import { type Named, Writer } from './writer.js';

const WRITER_COUNT = 8;
const OLDER_SAMPLE_COUNT = 20;
/** Longest run of the writers in a round. */
const WRITE_MS_MAX = 4_000;

export interface RoundsOptions {
  readonly dir: string;
  readonly rounds: number;
  readonly seed: number;
  /** Most requests that the writers send in a round before the kill. */
  readonly requestsMax: number;
  readonly report: (line: string) => void;
}

export interface Summary extends Findings {
  rounds: number;
  acknowledged: number;
  /** By kind. */
  readonly acknowledgedOf: ReadonlyMap<Kind, number>;
  /** Requests under an Idempotency-Key that were sent again and answered as the first time. */
  repeats: number;
  refused: number;
  unanswered: number;
  entitiesAcknowledged: number;
  checkpointRequests: number;
  killsWhileStarting: number;
  /** Rounds in which `quarry verify` reported an error after the kill or the last stop was not clean. */
  unsound: number;
}

export const isClean = (summary: Summary): boolean =>
  summary.lost + summary.half + summary.doubled + summary.wrong + summary.unsound === 0;

type Moment = 'writing' | 'checkpoint' | 'just serving' | 'starting';
const MOMENTS: readonly Moment[] = ['writing', 'checkpoint', 'checkpoint', 'just serving', 'starting'];

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

class Rounds {
  readonly #options: RoundsOptions;
  readonly #prng: Prng;
  readonly #shardCount: number;
  readonly #journals = Array.from({ length: WRITER_COUNT }, (_, writer) => new Journal(writer));
  /** Per writer. */
  readonly #named = this.#journals.map((): Named[] => []);
  #repeats = 0;
  readonly #findings = noFindings();
  /** All rounds before this one were checked completely at least once. */
  #uncheckedFrom = 0;
  #startMs = 300;
  #checkpointRequests = 0;
  #killsWhileStarting = 0;
  #unsound = 0;

  constructor(options: RoundsOptions) {
    this.#options = options;
    this.#prng = new Prng(options.seed);
    this.#shardCount = this.#prng.between(1, 5);
  }

  async run(): Promise<Summary> {
    const { rounds } = this.#options;
    for (let round = 0; round < rounds; round++) await this.#round(round);
    await this.#finish();
    return this.#summary();
  }

  /** The number of workers varies from start to start. */
  #spawn(): ServerProcess {
    const flags = ['--shards', String(this.#shardCount), '--workers', String(this.#prng.between(1, 2))];
    return new ServerProcess({ dir: this.#options.dir, flags });
  }

  async #round(round: number): Promise<void> {
    const moment = this.#prng.pick(MOMENTS);
    if (moment === 'starting') await this.#killWhileStarting();
    const startedAt = performance.now();
    const server = this.#spawn();
    const serving = await server.serving;
    this.#startMs = performance.now() - startedAt;
    const keys = server.keys();
    const client = new JsonClient(serving, keys.master);
    const writers = this.#writers(round, keys.team);
    try {
      if (round === 0) await client.succeed({ path: '/v1/column', body: FIXED_COLUMNS });
      if (moment !== 'just serving') {
        // Either the first request or its repeat takes effect, never both.
        if (this.#prng.chance(0.5)) await Promise.all(writers.map((writer) => writer.repeatPending(client)));
        await this.#check(client, keys.team, this.#uncheckedFrom, OLDER_SAMPLE_COUNT, round);
      }
      await this.#writeAndKill(moment, server, client, writers);
    } finally {
      await server.kill();
      client.close();
    }
    await this.#verify(round);
    this.#options.report(`round ${round}: killed while ${moment}; ${this.#requestCount} requests so far`);
  }

  get #requestCount(): number {
    return this.#journals.reduce((sum, journal) => sum + journal.entries.length, 0);
  }

  /** Starts the server and kills it before or soon after it serves; a few times. */
  async #killWhileStarting(): Promise<void> {
    for (let left = this.#prng.between(1, 2); left > 0; left--) {
      const server = this.#spawn();
      await Promise.race([sleep(this.#prng.unit() * this.#startMs * 1.1), server.ended]);
      await server.kill();
      this.#killsWhileStarting++;
    }
  }

  #writers(round: number, teamKey: string): Writer[] {
    return this.#journals.map((journal, index) => {
      const named = this.#named[index];
      const prng = new Prng(this.#prng.u32());
      const wrong = (text: string): void => {
        this.#findings.wrong++;
        this.#findings.texts.push(text);
      };
      const repeated = (): void => {
        this.#repeats++;
      };
      return new Writer({ journal, named, prng, round, teamKey, wrong, repeated });
    });
  }

  async #writeAndKill(
    moment: Moment,
    server: ServerProcess,
    client: JsonClient,
    writers: readonly Writer[],
  ): Promise<void> {
    const running = writers.map((writer) => writer.run(client));
    const killed = this.#untilTheMoment(moment, server).then(() => server.kill());
    // A writer throws at a wrong answer; the others must then not wait for each other.
    try {
      await Promise.all(running);
    } finally {
      for (const writer of writers) writer.stopped = true;
      await killed;
      await Promise.allSettled(running);
    }
  }

  async #untilTheMoment(moment: Moment, server: ServerProcess): Promise<void> {
    if (moment === 'just serving') return sleep(this.#prng.below(40));
    const wanted = this.#requestCount + this.#prng.between(10, this.#options.requestsMax);
    // The time limit ends the round on a machine that is too busy for so many requests.
    const until = performance.now() + WRITE_MS_MAX;
    while (this.#requestCount < wanted && performance.now() < until) await sleep(2);
    await sleep(this.#prng.below(20));
    if (moment !== 'checkpoint') return;
    for (let left = this.#prng.between(1, 3); left > 0; left--) {
      server.signal('SIGUSR2');
      this.#checkpointRequests++;
      await sleep(this.#prng.below(this.#prng.pick([10, 60, 250])));
    }
  }

  async #check(
    client: JsonClient,
    teamKey: string,
    fromRound: number,
    sampleCount: number,
    round: number,
  ): Promise<void> {
    const checker = new Checker(client, teamKey, this.#findings, this.#prng);
    await checker.check(this.#journals, fromRound, sampleCount);
    this.#uncheckedFrom = round;
  }

  async #verify(round: number): Promise<void> {
    const { code, output } = await runCommand(['verify', this.#options.dir]);
    if (code !== 0 || !output.endsWith('sound\n'))
      this.#wrong(`quarry verify after round ${round}: ${output}`);
  }

  #wrong(text: string): void {
    this.#unsound++;
    this.#findings.texts.push(text);
  }

  /** Checks every request once more, stops the server with SIGTERM, and verifies the store. */
  async #finish(): Promise<void> {
    const server = this.#spawn();
    try {
      const serving = await server.serving;
      const { master, team } = server.keys();
      const client = new JsonClient(serving, master);
      await this.#check(client, team, 0, 0, this.#options.rounds);
      client.close();
      const code = await server.end();
      if (code !== 0) this.#wrong(`SIGTERM ended the server with ${code}: ${server.output}`);
    } finally {
      await server.kill();
    }
    await this.#verify(this.#options.rounds);
  }

  #summary(): Summary {
    const entries = this.#journals.flatMap((journal) => journal.entries);
    const heard = (what: string): number => entries.filter((entry) => entry.heard === what).length;
    const acknowledgedOf = new Map<Kind, number>();
    let entitiesAcknowledged = 0;
    for (const { op, heard } of entries) {
      if (heard !== 'acknowledged') continue;
      acknowledgedOf.set(op.kind, (acknowledgedOf.get(op.kind) ?? 0) + 1);
      for (const ordinals of op.wrote?.entities.values() ?? []) entitiesAcknowledged += ordinals.length;
    }
    return {
      ...this.#findings,
      rounds: this.#options.rounds,
      acknowledged: heard('acknowledged'),
      acknowledgedOf,
      repeats: this.#repeats,
      refused: heard('refused'),
      unanswered: heard('nothing'),
      entitiesAcknowledged,
      checkpointRequests: this.#checkpointRequests,
      killsWhileStarting: this.#killsWhileStarting,
      unsound: this.#unsound,
    };
  }
}

/** Runs all rounds on an empty directory. Rejects when a server does not start or gives a wrong answer. */
export function runRounds(options: RoundsOptions): Promise<Summary> {
  return new Rounds(options).run();
}
