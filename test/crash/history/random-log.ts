/**
 * Random logs: the same writes to engines with different numbers of shards and workers, each compared while it runs, after a
 * kill, and after a start with another number of workers. All of them must hold the same state.
 */
import { createHash } from 'node:crypto';
import { Prng } from '../../../src/base/index.js';
import { FaultyDisk } from '../../support/faulty-disk.js';
import { AUTO, insert, mutate, script, stateOf, type Write } from '../disk/life.js';
import { openEngine } from './engine-fixture.js';
import type { TortureOptions } from './torture-options.js';

/** Numbers of shards and workers. */
const LAYOUTS = [
  { shards: 1, workers: 1 },
  { shards: 2, workers: 2 },
  { shards: 7, workers: 3 },
] as const;
const ENTITIES = 60;
const TAGS = 8;

const tagOf = (prng: Prng): string => `t${prng.below(TAGS)}`;

function entity(prng: Prng): Record<string, unknown> {
  const columns: Record<string, unknown> = { tag: prng.chance(0.1) ? null : tagOf(prng) };
  if (prng.chance(0.6)) columns.number = prng.chance(0.1) ? null : prng.between(-3, 12);
  if (prng.chance(0.4)) columns.list = Array.from({ length: prng.below(3) }, () => `item-${prng.below(3)}`);
  if (prng.chance(0.5)) {
    columns.event = Array.from({ length: prng.between(1, 3) }, () => ({
      value: tagOf(prng),
      date: `20${prng.between(10, 23)}-0${prng.between(1, 9)}-1${prng.below(10)}`,
    }));
  }
  return columns;
}

export function entities(prng: Prng): Record<string, unknown> {
  const ids = Array.from({ length: prng.between(1, 15) }, () => `e${prng.below(ENTITIES)}`);
  return Object.fromEntries(ids.map((id) => [id, entity(prng)]));
}

/** The first write creates every column. */
export const FIRST = insert({
  first: {
    ...{ tag: 't0', number: 1, list: ['item-1'] },
    event: [{ value: 't1', date: '2020-01-01' }],
  },
  ...AUTO,
});

export function randomWrite(prng: Prng, at: number): Write {
  const query = prng.pick([
    [{ tag: { equals: tagOf(prng) } }],
    [{ number: { range: [prng.below(4), 4 + prng.below(6)] } }],
    ['not', { tag: { equals: tagOf(prng) } }],
    [{ event: { equals: tagOf(prng), between: ['1990-01-01', '2100-01-01'] } }],
  ]);
  switch (prng.below(8)) {
    case 0:
      return mutate(query);
    case 1:
      return mutate(query, { tag: tagOf(prng), event: { value: tagOf(prng), date: '2021-05-05' } });
    case 2:
      return mutate(query, { number: prng.between(-3, 12) }, `once-${at}`);
    case 3:
      return script(
        `UPDATE [default] SET tag = '${tagOf(prng)}' WHERE number >= ${prng.below(9)};
         INSERT INTO [default] ([entity-id], tag, number) VALUES ('e${prng.below(ENTITIES)}', '${tagOf(prng)}', ${prng.below(9)});
         DELETE FROM [default] WHERE tag = '${tagOf(prng)}' AND number < ${prng.below(5)}`,
        `script-${at}`,
      );
    default:
      return insert(entities(prng), prng.chance(0.3) ? `insert-${at}` : null);
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Description of the first difference for the log of `seed`; null = every layout holds the same state. */
export async function logFault(seed: number): Promise<string | null> {
  const prng = new Prng(seed);
  const writes = [FIRST, ...Array.from({ length: prng.between(3, 14) }, (_, at) => randomWrite(prng, at))];
  const checkpointAt = prng.chance(0.5) ? prng.below(writes.length) : -1;
  let wanted: string | null = null;
  for (const [index, { shards, workers }] of LAYOUTS.entries()) {
    const disk = new FaultyDisk({ seed });
    const { engine } = await openEngine(disk, shards, seed, workers);
    for (const [at, write] of writes.entries()) {
      await write(engine);
      if (at === checkpointAt) await engine.checkpoint();
    }
    const found: [string, string][] = [[`${shards} shards`, hashOf(await stateOf(engine))]];
    const killed = disk.afterCrash();
    await engine.close();
    const other = LAYOUTS[(index + 1) % LAYOUTS.length];
    const again = await openEngine(killed, null, seed, other.workers);
    found.push([
      `${shards} shards, replayed by ${other.workers} workers`,
      hashOf(await stateOf(again.engine)),
    ]);
    await again.engine.close();
    const anew = await openEngine(disk, other.shards, seed, workers);
    found.push([`${shards} shards made ${other.shards}`, hashOf(await stateOf(anew.engine))]);
    await anew.engine.close();
    for (const [what, hash] of found) {
      wanted ??= hash;
      if (hash !== wanted) return `seed ${seed}: ${what}: ${hash} instead of ${wanted}`;
    }
  }
  return null;
}

/** `npm run torture -- --what logs`. */
export async function logs({ rounds, seed }: TortureOptions): Promise<boolean> {
  const startedAt = performance.now();
  let faults = 0;
  for (let log = 0; log < rounds; log++) {
    const fault = await logFault(seed + log);
    if (fault === null) continue;
    faults++;
    console.log(fault);
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${rounds} logs, ${faults} with a fault, ${seconds} s`);
  return faults === 0;
}
