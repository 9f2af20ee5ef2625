/**
 * Log ends that no crash of the server leaves, but a disk, a copy or a file system repair might: cut at any byte of the last
 * records, followed by zeros, noise, ones, older records, or more bytes than the file ever had. A start must find every record
 * before that byte and no other, and continue the log after it. It may refuse only for a reason: a difference of a single bit
 * is a bit flip, and without its header no record of a file can be identified.
 */
import { CorruptionError, Prng } from '../../../src/base/index.js';
import { LOG_FILE_HEADER_BYTES } from '../../../src/format/index.js';
import { verifyStore } from '../../../src/inspect/index.js';
import { LogReplay } from '../../../src/wal/index.js';
import { FaultyDisk, faultyDisk } from '../../support/faulty-disk.js';
import { LOG_DIR, openLog, payloadFor, range, replay, sizeFor } from '../../support/log-fixture.js';
import { openEngine, STORE_DIR } from '../history/engine-fixture.js';
import type { TortureOptions } from '../history/torture-options.js';
import { AUTO, insert, mutate, script, stateOf } from './life.js';

/** The bytes that replace those of `whole` from `at` on. */
type Tail = (whole: Uint8Array, at: number, prng: Prng) => Uint8Array;

const noise = (prng: Prng, count: number): Uint8Array =>
  Uint8Array.from({ length: count }, () => prng.below(256));

const TAILS: Readonly<Record<string, Tail>> = {
  cut: (whole, at) => whole.slice(0, at),
  zeros: (whole, at) => whole.slice().fill(0, at),
  ones: (whole, at) => whole.slice().fill(255, at),
  noise: (whole, at, prng) => joined(whole.subarray(0, at), noise(prng, whole.length - at)),
  'noise after its end': (whole, at, prng) => joined(whole.subarray(0, at), noise(prng, 3_000)),
  'older records': (whole, at) =>
    joined(whole.subarray(0, at), whole.subarray(LOG_FILE_HEADER_BYTES, at), new Uint8Array(512)),
  'one lost sector': (whole, at) => {
    const sector = Math.floor(at / 512) * 512;
    return whole.slice().fill(0, Math.max(at, sector), sector + 512);
  },
};
export const TAIL_NAMES: readonly string[] = Object.keys(TAILS);

const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

interface RecordLocation {
  readonly file: string;
  readonly offset: number;
}

/** A log of two files; the last three of its records were one group. */
async function writtenLog(): Promise<{
  readonly disk: FaultyDisk;
  readonly records: readonly RecordLocation[];
}> {
  const disk = faultyDisk();
  const log = await openLog(disk, 1);
  for (const lsn of range(1, 17)) {
    while (!log.hasCapacity(700)) await log.waitForCapacity(700);
    const { written } = log.append(payloadFor(lsn, sizeFor(lsn)));
    if (lsn < 15) await written;
  }
  await log.close();
  await replay(disk);
  const records: RecordLocation[] = [];
  for await (const { file, offset } of new LogReplay({ fs: disk, dir: LOG_DIR, fromLsn: 1 })) {
    records.push({ file, offset });
  }
  return { disk, records };
}

/** Bits in which the bytes from `from` on differ. */
function bitsApart(one: Uint8Array, other: Uint8Array, from: number, to: number): number {
  let bits = 0;
  for (let at = from; at < to; at++) {
    for (let left = (one[at] ?? 0) ^ (other[at] ?? 0); left > 0; left &= left - 1) bits++;
  }
  return bits;
}

export interface Tails {
  readonly tried: number;
  readonly refused: number;
  readonly faults: readonly string[];
}

/** Tries every kind of tail at every byte of the header of the last file and of the last `lastCount` records. */
export async function damageLogs(seed: number, lastCount: number): Promise<Tails> {
  const { disk, records } = await writtenLog();
  const { file } = records[records.length - 1];
  const whole = disk.bytesOf(file);
  const own = records.filter((record) => record.file === file).map(({ offset }) => offset);
  const before = records.length - own.length;
  const from = own[Math.max(0, own.length - lastCount)];
  const faults: string[] = [];
  let [tried, refused] = [0, 0];
  for (const [name, tail] of Object.entries(TAILS)) {
    for (const at of [...range(0, LOG_FILE_HEADER_BYTES - 1), ...range(from, whole.length)]) {
      const bytes = tail(whole, at, new Prng(seed + at));
      const left = disk.afterKill();
      left.put(file, bytes);
      const ends = [...own.slice(1), whole.length];
      const first = own.findIndex((offset, index) => {
        return bytes.length < ends[index] || bitsApart(bytes, whole, offset, ends[index]) > 0;
      });
      const retained = before + (first < 0 ? own.length : first);
      const isFlip = first >= 0 && bitsApart(bytes, whole, own[first], ends[first]) === 1;
      const noHead = bitsApart(bytes, whole, 0, LOG_FILE_HEADER_BYTES) > 0;
      // A single lost sector leaves later records, which may prove that it was synced.
      const mayRefuse = isFlip || noHead || name === 'one lost sector';
      const fault = await faultOf(left, file, bytes, retained, mayRefuse, noHead);
      tried++;
      if (fault === 'refused') refused++;
      else if (fault !== null) faults.push(`${name} from byte ${at} on: ${fault}`);
    }
  }
  return { tried, refused, faults };
}

/** Description of an error of the start; 'refused' for a permitted refusal; null = none. */
async function faultOf(
  disk: FaultyDisk,
  file: string,
  bytes: Uint8Array,
  retained: number,
  mayRefuse: boolean,
  mustRefuse: boolean,
): Promise<string | null> {
  try {
    const { lsns, payloads, end } = await replay(disk);
    if (mustRefuse) return 'the file was read without its header';
    const isWhole = payloads.every((payload, at) => {
      return Buffer.compare(payload, payloadFor(at + 1, sizeFor(at + 1))) === 0;
    });
    if (lsns.length !== retained || !isWhole || end.nextLsn !== retained + 1)
      return `${retained} records stood, found ${lsns}`;
    const log = await openLog(disk, end.nextLsn);
    await log.append(payloadFor(end.nextLsn, sizeFor(end.nextLsn))).written;
    await log.close();
    const again = await replay(disk.afterCrash());
    if (again.lsns.length !== retained + 1 || again.end.tornTail !== null)
      return `the log continued with ${again.lsns}`;
    return null;
  } catch (error) {
    if (!(error instanceof CorruptionError) || error.file !== file) return String(error);
    if (!mayRefuse) return `refused: ${error.message}`;
    return Buffer.compare(disk.bytesOf(file), bytes) === 0 ? 'refused' : 'refused, but the file was changed';
  }
}

interface Store {
  readonly disk: FaultyDisk;
  /** State after each LSN, starting with that of the snapshot. */
  readonly states: ReadonlyMap<number, string>;
  readonly snapshotLsn: number;
}

/** A store whose last log file holds several writes of every kind, with a snapshot of the first one. */
async function store(): Promise<Store> {
  const disk = new FaultyDisk({ seed: 3 });
  const { engine } = await openEngine(disk, 2, 3);
  const states = new Map<number, string>();
  const entity = (tag: string) => ({ tag, number: 4, event: [{ value: tag, date: '2020-01-01' }] });
  for (const write of [
    insert({ a: entity('t0'), b: entity('t1'), ...AUTO }),
    'checkpoint',
    insert({ c: entity('t2'), a: entity('t3') }, 'named'),
    mutate([{ tag: { equals: 't3' } }], { tag: 't4' }),
    insert({ d: entity('t5'), e: entity('t6') }),
    script(
      `UPDATE [default] SET tag = 't7' WHERE tag = 't5'; DELETE FROM [default] WHERE tag = 't6'`,
      'script',
    ),
    mutate([{ tag: { equals: 't2' } }], null, 'named-delete'),
  ] as const) {
    if (write === 'checkpoint') await engine.checkpoint();
    else await write(engine);
    states.set(engine.stats().lsnApplied, await stateOf(engine));
  }
  const left = disk.afterKill();
  const { lsnCheckpoint: snapshotLsn } = engine.stats();
  disk.stop();
  await engine.close().catch(() => {});
  return { disk: left, states, snapshotLsn };
}

/** Tries every kind of tail at `samples` bytes of the last log file of a complete store. */
export async function damageStores(seed: number, samples: number): Promise<Tails> {
  const { disk, states, snapshotLsn } = await store();
  const prng = new Prng(seed);
  const file = disk.files().findLast((name) => name.endsWith('.qlog')) ?? '';
  const whole = disk.bytesOf(file);
  const end = whole.findLastIndex((byte) => byte !== 0) + 1;
  const faults: string[] = [];
  let [tried, refused] = [0, 0];
  for (let sample = 0; sample < samples; sample++) {
    const name = TAIL_NAMES[sample % TAIL_NAMES.length];
    const at = prng.between(LOG_FILE_HEADER_BYTES, end);
    const left = disk.afterKill();
    left.put(file, TAILS[name](whole.subarray(0, end), at, prng));
    const what = `${name} from byte ${at} of ${file} on`;
    tried++;
    const reading = new LogReplay({ fs: left, dir: `${STORE_DIR}/log`, fromLsn: snapshotLsn + 1 });
    try {
      for await (const _ of reading);
      const wanted = states.get(reading.end.nextLsn - 1);
      const fault = await faultOfStore(left, wanted);
      if (fault !== null) faults.push(`${what}: ${fault}`);
    } catch (error) {
      if (error instanceof CorruptionError && (await isRefused(left, file))) refused++;
      else faults.push(`${what}: ${String(error)}`);
    }
  }
  return { tried, refused, faults };
}

async function faultOfStore(disk: FaultyDisk, wanted: string | undefined): Promise<string | null> {
  const { faults } = await verifyStore(disk, STORE_DIR);
  if (faults.length > 0) return `verify: ${faults.join('; ')}`;
  const { engine } = await openEngine(disk, null, 4);
  const state = await stateOf(engine);
  if (state !== wanted) return `an unexpected state:\n${state}`;
  await insert({ behind: { tag: 't1' } })(engine);
  const next = await stateOf(engine);
  const lost = disk.afterCrash();
  disk.stop();
  await engine.close().catch(() => {});
  const { engine: again } = await openEngine(lost, null, 5);
  const found = await stateOf(again);
  await again.close();
  return found === next ? null : `a write after it is lost:\n${found}`;
}

/** Checks that `verify` and a start name the file. */
async function isRefused(disk: FaultyDisk, file: string): Promise<boolean> {
  const { faults } = await verifyStore(disk, STORE_DIR);
  const named = await openEngine(disk, null, 4).then(
    () => null,
    (error) => (error instanceof CorruptionError ? error.file : null),
  );
  return named === file && faults.some((fault) => fault.startsWith(file));
}

/** Tries all bytes of the last file of a log; `rounds` is the number of stores. */
export async function logTails({ rounds, seed }: TortureOptions): Promise<boolean> {
  const startedAt = performance.now();
  const logs = await damageLogs(seed, Number.MAX_SAFE_INTEGER);
  const stores = await damageStores(seed, rounds);
  for (const fault of [...logs.faults, ...stores.faults]) console.log(fault);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `${logs.tried} logs, ${logs.refused} refused, ${logs.faults.length} wrong; ` +
      `${stores.tried} stores, ${stores.refused} refused, ${stores.faults.length} wrong, ${seconds} s`,
  );
  return logs.faults.length + stores.faults.length === 0;
}
