/**
 * The engine with its workers in this process and everything durable on a faulty disk, and a short life for it:
 * writes of every kind, beside and between checkpoints. The writes come one after the other, so the content of the
 * store is always that behind some number of them.
 */
import {
  bindCountEntity,
  createColumns,
  createDimensions,
  deleteDimension,
  parseJson,
} from '../../src/api/index.js';
import { fromWire, ManualClock, Prng } from '../../src/base/index.js';
import { type CatalogChange, databaseOf } from '../../src/catalog/index.js';
import { Engine, type LaneApi, LaneDownError, type MakeLane } from '../../src/engine/index.js';
import type { LaneAnswers, LaneOp, LaneRequest, LaneRequests, LaneStart } from '../../src/protocol/index.js';
import type { DatabaseModel } from '../../src/schema/index.js';
import { LaneWorker } from '../../src/worker/lane-worker.js';
import type { FaultyDisk } from '../support/faulty-disk.js';

export const STORE_DIR = '/store';
const DATABASE_ID = 1;
const NOW_MS = Date.UTC(2024, 4, 1);
/** Small, so that a short life begins several log files. */
const LOG_FILE_BYTES = 8_192;

/** A lane without a thread: what reaches the worker, and in what order, is as with one. */
class LocalLane implements LaneApi {
  readonly index: number;
  readonly shards: readonly number[];
  readonly #worker: LaneWorker;
  readonly #onDown: (cause: unknown) => void;
  #sequence = 0;
  #down: LaneDownError | null = null;
  #memoryBytes = 0;

  constructor(start: LaneStart, disk: FaultyDisk, onDown: (cause: unknown) => void) {
    this.index = start.laneIndex;
    this.shards = start.shards;
    this.#worker = new LaneWorker(start, disk);
    this.#onDown = onDown;
  }

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  async send<Op extends LaneOp>(op: Op, request: LaneRequests[Op]): Promise<LaneAnswers[Op]> {
    const sequence = this.#sequence++;
    // The worker runs in another turn than the sender, but in the order of sending.
    await Promise.resolve();
    if (this.#down !== null) throw this.#down;
    let result: Awaited<ReturnType<LaneWorker['run']>>;
    try {
      result = await this.#worker.run({ sequence, requests: [{ op, ...request } as unknown as LaneRequest] });
    } catch (cause) {
      // In a thread this would end it.
      if (this.#down === null) {
        this.#down = new LaneDownError(`lane ${this.index} ended`, { cause });
        this.#onDown(cause);
      }
      throw this.#down;
    }
    this.#memoryBytes = result.memoryBytes;
    const [reply] = result.replies;
    if ('error' in reply) throw fromWire(reply.error);
    if ('corruption' in reply) throw new Error(`${reply.corruption.file}: ${reply.corruption.reason}`);
    return reply.value as LaneAnswers[Op];
  }

  async close(): Promise<void> {
    this.#down ??= new LaneDownError(`lane ${this.index} is closed`);
  }
}

export interface OpenedEngine {
  readonly engine: Engine;
  /** Rejects when the engine cannot go on; the process would end there. */
  readonly fatal: Promise<never>;
}

/** `shardCount` null = what the store has, or one for the single lane. */
export async function openEngine(
  disk: FaultyDisk,
  shardCount: number | null,
  seed: number,
): Promise<OpenedEngine> {
  const prng = new Prng(seed);
  let onFatal: (error: Error) => void = () => {};
  const fatal = new Promise<never>((_, reject) => {
    onFatal = reject;
  });
  fatal.catch(() => {});
  const makeLane: MakeLane = (start, onDown) => new LocalLane(start, disk, onDown);
  const engine = await Engine.create({
    fs: disk,
    dir: STORE_DIR,
    laneFile: '',
    kernels: null,
    laneCount: 1,
    shardCount,
    memoryLimitBytes: 2 ** 30,
    durability: 'fsync',
    clock: new ManualClock(NOW_MS),
    random64: () => BigInt(prng.u32()) * 2n ** 32n + BigInt(prng.u32()),
    randomBytes: (count) => Uint8Array.from({ length: count }, () => prng.below(256)),
    events: { info: () => {}, warn: () => {}, fatal: onFatal },
    logFileBytes: LOG_FILE_BYTES,
    makeLane,
  });
  await Promise.race([engine.start(), fatal]);
  return { engine, fatal };
}

const bytesOf = (json: unknown): Uint8Array => Buffer.from(JSON.stringify(json));

export type Write = (engine: Engine) => Promise<unknown>;

const insert = (body: unknown): Write => {
  return (engine) => engine.insert({ databaseId: DATABASE_ID, body: bytesOf(body), customKey: false });
};

const change = (
  decide: (model: DatabaseModel) => { changes: readonly CatalogChange[]; answer: unknown },
): Write => {
  return (engine) => engine.change((catalog) => decide(databaseOf(catalog, DATABASE_ID)));
};

/** `count` entities from `first` on, all carrying `tag`. */
function entities(tag: string, dimension: string, first: number, count: number): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (let index = first; index < first + count; index++) {
    body[`e${index}`] = {
      dimension,
      tag,
      number: index,
      list: [tag, `item-${index % 3}`],
      event: [{ value: tag, date: '2020-01-01' }, { value: `other-${index}` }],
    };
  }
  return body;
}

const AUTO = { 'auto-create': ['dimension', 'column'] };

/** The life: writes, and where a checkpoint is begun, which runs beside the writes behind it, or waited for. */
const LIFE: readonly (Write | 'checkpoint' | 'wait')[] = [
  insert({ ...entities('t0', 'default', 0, 12), ...AUTO }),
  change((model) => createDimensions(parseJson(bytesOf({ name: 'spare', 'api-name': 'spare' })), model)),
  insert({ ...entities('t1', 'second', 0, 9), ...AUTO }),
  'checkpoint',
  'wait',
  insert(entities('t2', 'default', 6, 12)),
  change((model) =>
    createColumns(parseJson(bytesOf([{ name: 'late', 'api-name': 'late', type: 'integer-event' }])), model),
  ),
  'checkpoint',
  insert(entities('t3', 'second', 4, 6)),
  insert({ ...entities('t4', 'third', 0, 5), ...AUTO }),
  'wait',
  'checkpoint',
  insert({ e1: { late: { value: 7, date: '2021-01-01' } }, e2: { tag: 't5' } }),
  change((model) => deleteDimension(parseJson(bytesOf({ 'api-name': 'third' })), model)),
  'wait',
  insert(entities('t6', 'default', 15, 8)),
  insert(entities('t7', 'default', 0, 30)),
];

export const WRITE_COUNT = LIFE.filter((step) => typeof step === 'function').length;

export interface Lived {
  /** Writes that were sent, and of those the ones that were acknowledged. */
  sent: number;
  acknowledged: number;
}

/**
 * Lives from the write `from` on, and stops the engine at the end. `lived` is kept up to date and tells how far it
 * came. `eachState` sees the engine behind every write.
 */
export async function live(
  { engine, fatal }: OpenedEngine,
  lived: Lived,
  from = 0,
  eachState: (engine: Engine) => Promise<void> = async () => {},
): Promise<void> {
  let checkpoint = Promise.resolve();
  let ordinal = 0;
  const story = async (): Promise<void> => {
    for (const step of LIFE) {
      if (step === 'wait') await checkpoint;
      if (step === 'checkpoint' && ordinal >= from) {
        checkpoint = engine.checkpoint();
        checkpoint.catch(() => {});
      }
      if (typeof step === 'string' || ordinal++ < from) continue;
      lived.sent = ordinal;
      await step(engine);
      lived.acknowledged = ordinal;
      await eachState(engine);
    }
    await checkpoint;
    await engine.close();
  };
  await Promise.race([story(), fatal]);
}

/** The first `count` writes of the life, without a checkpoint. */
export async function write(engine: Engine, count: number): Promise<void> {
  for (const step of LIFE.filter((step) => typeof step === 'function').slice(0, count)) await step(engine);
}

const ALL_TIME = ['1990-01-01', '2100-01-01'];
const TAGS = ['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7', 'item-1'];

/** Everything that the life's queries tell of the store, as text: equal states are equal texts. */
export async function stateOf(engine: Engine): Promise<string> {
  const model = databaseOf(engine.catalog(), DATABASE_ID);
  const lines: string[] = [];
  for (const dimension of model.dimensions.values()) {
    const columns = [...dimension.columns.values()].map(({ apiName, type }) => `${apiName} ${type}`);
    const total = await engine.countAll(DATABASE_ID, [dimension.id]);
    lines.push(`${dimension.apiName}: ${total} entities; ${columns.join(', ')}`);
    const queries: unknown[][] = [];
    const has = (column: string): boolean => columns.some((text) => text.startsWith(`${column} `));
    for (const tag of TAGS) {
      if (has('tag')) queries.push([{ tag: { equals: tag } }], [{ list: { equals: tag } }]);
      if (has('event')) {
        for (const minfreq of [1, 2]) queries.push([{ event: { equals: tag, between: ALL_TIME, minfreq } }]);
      }
    }
    if (has('number')) queries.push([{ number: { range: [3, 7] } }]);
    if (has('late')) queries.push([{ late: { gte: 7, between: ALL_TIME } }]);
    const counts: number[] = [];
    for (const query of queries) {
      const body = bytesOf({ 'query-name': 'q', dimension: dimension.apiName, query });
      const [{ dimensionId, condition }] = bindCountEntity(parseJson(body), model, NOW_MS);
      counts.push(...(await engine.countEntities([{ databaseId: DATABASE_ID, dimensionId, condition }])));
    }
    lines.push(counts.join(' '));
  }
  return lines.join('\n');
}
