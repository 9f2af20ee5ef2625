/** A server with inlets on one port, which is killed and started again while clients send. */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Test } from 'tap';
import type { Prng } from '../../../src/base/index.js';
import { SqlStore, temporaryDir } from '../../crash/client/sql-store.js';

export interface KillOptions {
  readonly events: number;
  readonly kills: number;
  readonly seed: number;
}

/** Read from the command line: `--events 100000 --kills 20 --seed 1`. */
export function killOptions(byDefault = { events: 2_000, kills: 3 }): KillOptions {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: String(byDefault.events) },
      kills: { type: 'string', default: String(byDefault.kills) },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  });
  return { events: Number(values.events), kills: Number(values.kills), seed: Number(values.seed) };
}

export class MortalStore {
  readonly #dir: string;
  readonly #flags: readonly string[];
  readonly httpPort: number;
  #store: SqlStore;

  private constructor(dir: string, flags: readonly string[], store: SqlStore) {
    this.#dir = dir;
    this.#flags = flags;
    this.httpPort = store.httpPort;
    this.#store = store;
  }

  static async open(t: Test, ...flags: readonly string[]): Promise<MortalStore> {
    const dir = temporaryDir(t);
    const mortal = new MortalStore(dir, flags, await SqlStore.open(dir, { flags }));
    t.teardown(() => mortal.current.server.kill());
    return mortal;
  }

  get current(): SqlStore {
    return this.#store;
  }

  async restart(): Promise<void> {
    await this.#store.server.kill();
    this.#store = await SqlStore.open(this.#dir, { flags: this.#flags, httpPort: this.httpPort });
  }

  /** Kills the server `kills` times at random moments; resolves when all was sent, with the number of kills before that. */
  async killDuring(sending: Promise<unknown>, random: Prng, kills: number): Promise<number> {
    let isSent = false;
    let hitCount = 0;
    void sending.then(() => {
      isSent = true;
    });
    for (let kill = 0; kill < kills; kill++) {
      await pause(random.between(50, 600));
      if (!isSent) hitCount++;
      await this.restart();
    }
    await sending;
    return hitCount;
  }
}
