/**
 * A real disk that fills up: another program takes the free space, a part at the start and the rest at a random time, also
 * during checkpoints. Reads then continue with right answers; writes are refused with 9002, have no effect and can be
 * repeated; no process and no worker ends. When space is free again, writes resume without a restart. A kill or a stop on the
 * full disk, and a start on it, lose nothing acknowledged. The writers are those of the kill rounds and one that fills the log.
 */
import fs from 'node:fs';
import path from 'node:path';
import { Prng } from '../../../src/base/index.js';
import { JsonClient, type Reply } from '../../support/json-client.js';
import { runCommand, ServerProcess, type Serving } from '../../support/server-process.js';
import { Checker, type Findings, noFindings } from '../history/check.js';
import { Journal } from '../history/journal.js';
import { FIXED_COLUMNS } from '../history/row-requests.js';
import type { TortureOptions } from '../history/torture-options.js';
import { type Named, Writer } from '../history/writer.js';
import { metricsOf } from '../process/process-stats.js';
import { SmallDisk } from './small-disk.js';

const MIB = 2 ** 20;
const DISK_MIB = 560;
/**
 * Free space that the other program leaves at first: with less, the first log file does not fit; with more, several larger
 * ones do.
 */
const FREE_MIB_MIN = 8;
const FREE_MIB_MAX = 60;
const WRITERS = 3;
const FULL_CODE = 9002;
/** The interface's message for a database whose deletion failed. */
const DELETION_CODE = 189;
/** The codes with which a starting or stopping server refuses. */
const OTHER_CODES: readonly number[] = [9004];
const FILL_ENTITIES = [1_000, 100, 10, 1] as const;
const FILL_TEXT_CHARS = 900;
/** Number of consecutive refusals that count as a full disk. */
const REFUSALS = 4;
const WAIT_MS_MAX = 20_000;
/** Random words from which texts are cut. */
const TEXTS_PARTS = 200_000;
const FAULTS_MAX = 20;

const FILL_DIMENSION = 'filler';
const FILL_COLUMNS = ['tag', 'text-1', 'text-2', 'text-3', 'text-4'].map((name) => ({
  name,
  'api-name': name,
  type: 'string',
  dimension: FILL_DIMENSION,
}));

export interface DiskFullRound {
  readonly dir: string;
  readonly seed: number;
  /** Random if omitted. */
  readonly ending?: Ending;
}

export interface DiskFullOutcome {
  readonly faults: readonly string[];
  readonly how: string;
  readonly freeMib: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly readsWhileFull: number;
  readonly checkpointsFailed: number;
}

type Ending = 'space returns' | 'killed while full' | 'stopped while full';
const ENDINGS: readonly Ending[] = [
  'space returns',
  'space returns',
  'killed while full',
  'stopped while full',
];

interface Life {
  readonly server: ServerProcess;
  readonly serving: Serving;
  readonly client: JsonClient;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

class DiskFullRun {
  readonly #disk: SmallDisk;
  readonly #prng: Prng;
  readonly #ending: Ending;
  readonly #freeMib: number;
  readonly #texts: string;
  readonly #findings: Findings = noFindings();
  readonly #faults: string[] = [];
  readonly #journals = Array.from({ length: WRITERS }, (_, writer) => new Journal(writer));
  readonly #named = this.#journals.map((): Named[] => []);
  /** Entities of the filling writer by the tag of their request, acknowledged or without an answer. */
  readonly #filled = new Map<string, { readonly count: number; acknowledged: boolean }>();
  #acknowledged = 0;
  #refused = 0;
  #readsWhileFull = 0;
  #checkpointsFailed = 0;
  #isOver = false;

  constructor(disk: SmallDisk, prng: Prng, ending: Ending | undefined) {
    this.#disk = disk;
    this.#prng = prng;
    this.#freeMib = prng.between(FREE_MIB_MIN, FREE_MIB_MAX);
    this.#texts = Array.from({ length: TEXTS_PARTS }, () => prng.u32().toString(36)).join('');
    const drawn = prng.pick(ENDINGS);
    this.#ending = ending ?? drawn;
  }

  async run(): Promise<DiskFullOutcome> {
    await this.#firstLife();
    await this.#secondLife();
    const { lost, half, doubled, wrong, texts } = this.#findings;
    if (lost + half + doubled + wrong > 0) this.#faults.push(...texts);
    return {
      faults: this.#faults,
      how: this.#ending,
      freeMib: this.#freeMib,
      acknowledged: this.#acknowledged,
      refused: this.#refused,
      readsWhileFull: this.#readsWhileFull,
      checkpointsFailed: this.#checkpointsFailed,
    };
  }

  get #storeDir(): string {
    return path.join(this.#disk.dir, 'store');
  }

  async #begin(): Promise<Life> {
    const server = new ServerProcess({ dir: this.#storeDir, flags: ['--workers', '2', '--shards', '3'] });
    try {
      const serving = await server.serving;
      return { server, serving, client: new JsonClient(serving, server.keys().master) };
    } catch (error) {
      await server.kill();
      throw error;
    }
  }

  async #firstLife(): Promise<void> {
    this.#disk.fill(this.#freeMib * MIB);
    const life = await this.#begin();
    const { client, server } = life;
    try {
      await client.succeed({ path: '/v1/column', body: [...FIXED_COLUMNS, ...FILL_COLUMNS] });
      const writing = this.#write(life);
      await this.#untilFull(life);
      await this.#beFull(life);
      if (this.#ending === 'space returns') await this.#goOn(life);
      else if (this.#ending === 'stopped while full') await this.#stop(life);
      else await server.kill();
      this.#isOver = true;
      await writing;
    } finally {
      this.#isOver = true;
      await server.kill();
      this.#checkpointsFailed = server.output.split('checkpoint failed').length - 1;
      client.close();
    }
    await this.#verify();
  }

  /** Starts on the disk as it was left, full or not, and again with free space. */
  async #secondLife(): Promise<void> {
    const life = await this.#begin();
    const { client, server } = life;
    try {
      await this.#checkFilled(life);
      this.#disk.giveBack();
      await this.#untilWritten(life, 'after the second start');
      const checker = new Checker(client, server.keys().team, this.#findings, this.#prng);
      await checker.check(this.#journals, 0, 0);
      await this.#checkFilled(life);
      const code = await server.end();
      if (code !== 0) this.#faults.push(`SIGTERM ended the server with ${code}: ${server.output}`);
    } finally {
      await server.kill();
      client.close();
    }
    await this.#verify();
  }

  /** Runs the writers of the kill rounds until the server or the run ends. */
  async #write({ client, server }: Life): Promise<void> {
    const writers = this.#journals.map((journal, index) => {
      const wrong = (text: string): void => void this.#faults.push(text);
      const parts = { journal, named: this.#named[index], prng: new Prng(this.#prng.u32()), round: 0 };
      const callbacks = { wrong, repeated: () => {}, refused: (reply: Reply) => this.#checkRefusal(reply) };
      return new Writer({ ...parts, ...callbacks, teamKey: server.keys().team });
    });
    const running = Promise.all(writers.map((writer) => writer.run(client))).catch((error) =>
      this.#faults.push((error as Error).message),
    );
    while (!this.#isOver) await sleep(5);
    for (const writer of writers) writer.stopped = true;
    await running;
    this.#acknowledged += this.#journals.reduce(
      (sum, { entries }) => sum + entries.filter(({ heard }) => heard === 'acknowledged').length,
      0,
    );
  }

  #checkRefusal({ status, headers, body }: Reply): void {
    this.#refused++;
    const code = (body as { errors?: readonly { code: number }[] }).errors?.[0]?.code ?? 0;
    const isRetryable = status === 503 && headers['retry-after'] !== undefined;
    const isRight = isRetryable && (code === FULL_CODE || code === DELETION_CODE);
    if (isRight || OTHER_CODES.includes(code)) return;
    this.#faults.push(`a write was refused with HTTP ${status}, ${JSON.stringify(body)}`);
  }

  /**
   * Fills the disk at a random time of the writes, possibly during checkpoints; then the log uses up its preallocated
   * space.
   */
  async #untilFull(life: Life): Promise<void> {
    for (let left = this.#prng.below(3); left > 0; left--)
      await this.#fill(life, this.#prng.pick(FILL_ENTITIES));
    const checkpoints = this.#prng.below(3);
    for (let left = checkpoints; left > 0; left--) {
      life.server.signal('SIGUSR2');
      await sleep(this.#prng.below(30));
    }
    this.#disk.fill(this.#prng.pick([0, 0, 65_536, MIB, 70 * MIB]));
    for (const entities of FILL_ENTITIES) {
      for (let refusals = 0; refusals < REFUSALS; ) {
        if (await this.#fill(life, entities)) refusals = 0;
        else refusals++;
        // A running checkpoint released log files: the other program takes their space first.
        this.#disk.fill();
      }
    }
  }

  /** Whether a request with this number of entities of long texts was acknowledged. */
  async #fill({ client }: Life, entities: number): Promise<boolean> {
    const tag = `fill-${this.#filled.size}`;
    const body: Record<string, unknown> = {};
    for (let index = 0; index < entities; index++) {
      const own = FILL_COLUMNS.map(({ name }) => [name, name === 'tag' ? tag : this.#text()]);
      body[`${tag}-${index}`] = { dimension: FILL_DIMENSION, ...Object.fromEntries(own) };
    }
    const own = { count: entities, acknowledged: false };
    this.#filled.set(tag, own);
    const reply = await client.request({ path: '/v1/insert', body });
    own.acknowledged = reply.status === 200;
    if (own.acknowledged) this.#acknowledged++;
    else this.#checkRefusal(reply);
    return own.acknowledged;
  }

  /** A text with few repetitions, so that snapshots compress it badly. */
  #text(): string {
    const at = this.#prng.below(this.#texts.length - FILL_TEXT_CHARS);
    return this.#texts.slice(at, at + FILL_TEXT_CHARS);
  }

  /** Reads, refusals and a checkpoint without space. */
  /** Checks that the server stays ready and that /readyz reports the full disk. */
  async #checkReadiness({ client }: Life): Promise<void> {
    const { status, body } = await client.request({ path: '/readyz' });
    const { degraded = [] } = body as { degraded?: readonly { code: number }[] };
    if (status === 200 && degraded.some(({ code }) => code === FULL_CODE)) return;
    this.#faults.push(`on a full disk /readyz answers HTTP ${status}, ${JSON.stringify(body)}`);
  }

  async #beFull(life: Life): Promise<void> {
    const { server } = life;
    const before = this.#refused;
    await this.#checkReadiness(life);
    for (let left = this.#prng.between(1, 3); left > 0; left--) {
      server.signal('SIGUSR2');
      await this.#checkFilled(life);
      this.#readsWhileFull++;
      this.#disk.fill();
      await sleep(this.#prng.below(200));
    }
    if (this.#refused === before) await this.#fill(life, 1);
    const metrics = await metricsOf(life.serving);
    const restarts = metrics.get('quarry_lane_restarts_total');
    if (restarts !== 0) this.#faults.push(`${restarts} workers were started anew on a full disk`);
  }

  async #goOn(life: Life): Promise<void> {
    this.#disk.giveBack();
    await this.#untilWritten(life, 'when the space was back');
    await this.#checkpointed(life);
    await sleep(this.#prng.below(200));
    await life.server.kill();
  }

  async #checkpointed({ server, serving }: Life): Promise<void> {
    const count = async (): Promise<number> =>
      (await metricsOf(serving)).get('quarry_checkpoints_total') ?? 0;
    const before = await count();
    const until = performance.now() + WAIT_MS_MAX;
    server.signal('SIGUSR2');
    while ((await count()) === before && performance.now() < until) await sleep(10);
    if ((await count()) === before) this.#faults.push('no checkpoint when the space was back');
  }

  async #stop({ server }: Life): Promise<void> {
    const code = await server.end();
    if (code !== 0)
      this.#faults.push(`SIGTERM on a full disk ended the server with ${code}: ${server.output}`);
  }

  async #untilWritten(life: Life, when: string): Promise<void> {
    const until = performance.now() + WAIT_MS_MAX;
    while (!(await this.#fill(life, 100))) {
      if (performance.now() > until) {
        this.#faults.push(`no write was accepted ${when}: ${life.server.output}`);
        return;
      }
      await sleep(50);
    }
  }

  /** Checks that every request of the filling writer is complete, or was refused and had no effect. */
  async #checkFilled({ client }: Life): Promise<void> {
    const text = 'SELECT tag, COUNT(*) AS c FROM filler GROUP BY tag LIMIT 100000';
    const headers = { 'content-type': 'application/sql' };
    const { result } = await client.succeed<{ result: readonly { tag: string; c: number }[] }>({
      path: '/v1/sql',
      text,
      headers,
    });
    const found = new Map(result.map(({ tag, c }) => [tag, c]));
    for (const [tag, { count, acknowledged }] of this.#filled) {
      const expected = acknowledged ? count : undefined;
      if (found.get(tag) !== expected)
        this.#faults.push(`${tag} has ${found.get(tag)} entities, not ${expected}`);
    }
  }

  async #verify(): Promise<void> {
    const { code, output } = await runCommand(['verify', this.#storeDir]);
    if (code !== 0 || !output.endsWith('sound\n')) this.#faults.push(`quarry verify: ${output}`);
  }
}

/** Runs one round on a separate disk below `dir`, or returns the reason why that is not possible. */
export async function diskFullRound({ dir, seed, ending }: DiskFullRound): Promise<DiskFullOutcome | string> {
  const prng = new Prng(seed);
  const disk = SmallDisk.mount(path.join(dir, 'disk'), DISK_MIB * MIB);
  if (typeof disk === 'string') return disk;
  try {
    return await new DiskFullRun(disk, prng, ending).run();
  } finally {
    disk.unmount();
  }
}

/** Returns whether there was no error; if no disk can be mounted, reports that and returns true. */
export async function diskFull({ rounds, seed, dir }: TortureOptions): Promise<boolean> {
  let isRight = true;
  for (let round = 0; round < rounds; round++) {
    const own = path.join(dir, `round-${round}`);
    fs.mkdirSync(own, { recursive: true });
    const outcome = await diskFullRound({ dir: own, seed: seed + round });
    if (typeof outcome === 'string') {
      console.log(`not tried: ${outcome}`);
      return true;
    }
    const { faults, ...counts } = outcome;
    for (const fault of faults.slice(0, FAULTS_MAX)) console.log(fault);
    console.log(`round ${round}, seed ${seed + round}: ${JSON.stringify(counts)}`);
    isRight &&= faults.length === 0;
  }
  return isRight;
}
