/**
 * Measures how fast batches are applied to a shard, on one core. Run after a build:
 * node dist/native-bench/kernels/apply.bench.js [thousand entities]
 * The shard gets half of the rows of the ingest line. They are applied to an empty shard (all entities are new) and then
 * again (all entities are updated and get further events). Prints entities per CPU second for both passes.
 */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Batch, decodeBatch } from '../../src/column/index.js';
import { createIngestScratch, parseInsert } from '../../src/ingest/index.js';
import { compileKernels } from '../../src/kernels/index.js';
import { type Column, type DatabaseModel, ENTITY_ID, newDimension } from '../../src/schema/index.js';
import { ArenaPool, Shard } from '../../src/storage/index.js';
import { generatePeople } from '../data/bodies.js';
import { BLOCK_ENTITIES, People } from '../data/people.js';

const SEED = 7;
const SHARD_COUNT = 2;
const NOW_MS = Date.UTC(2026, 1, 1);
const KERNELS = fileURLToPath(new URL('../../src/kernels/kernels.wasm', import.meta.url));

const TYPES: readonly [string, Column['type'], number | null][] = [
  ['country', 'string', null],
  ['city', 'string', null],
  ['age', 'integer', null],
  ['income', 'decimal', 2],
  ['active', 'boolean', null],
  ['visit', 'string-event', null],
];

function model(): DatabaseModel {
  const dimension = newDimension({ id: 1, apiName: 'default' });
  const columns = new Map(dimension.columns);
  TYPES.forEach(([name, type, decimalPlaces], index) => {
    const storage = type.endsWith('-event') ? null : 'latest-value';
    columns.set(name, { ...ENTITY_ID, id: index + 1, name, apiName: name, type, storage, decimalPlaces });
  });
  return {
    id: 1,
    name: 'bench',
    type: 'production',
    version: 1,
    shrinkVersion: 1,
    nextDimensionId: 2,
    nextColumnId: TYPES.length + 1,
    textCase: 'fold',
    dimensions: new Map([['default', { ...dimension, columns }]]),
  };
}

/** The batches of shard 0, each in its own memory. */
function batchesOf(entityCount: number): Batch[] {
  const scratch = createIngestScratch();
  const context = {
    model: model(),
    shardCount: SHARD_COUNT,
    nowMs: NOW_MS,
    customKey: false,
    columnIds: null,
  };
  const batches: Batch[] = [];
  const source = generatePeople(new People(SEED, 'ingest'), 0, entityCount);
  for (let body = source.next(); body !== null; body = source.next()) {
    const outcome = parseInsert(body.bytes, context, scratch);
    if ('error' in outcome) throw new Error(outcome.error.message);
    for (const { shard, offset, byteLength } of outcome.parsed.batches) {
      if (shard !== 0) continue;
      const copy = outcome.parsed.buffer.slice(offset, offset + byteLength);
      batches.push(decodeBatch(copy, 0, byteLength));
    }
  }
  return batches;
}

const entityCount = Number(process.argv[2] ?? 1_000) * BLOCK_ENTITIES;
const batches = batchesOf(entityCount);
const shard = new Shard(new ArenaPool(compileKernels(fs.readFileSync(KERNELS))), 0);
for (const pass of ['new', 'updates']) {
  const before = process.cpuUsage();
  for (const batch of batches) shard.apply(1, batch);
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  const rows = batches.reduce((sum, { rowCount }) => sum + rowCount, 0);
  console.log(
    `${pass}: ${Math.round(rows / seconds).toLocaleString('en')} entities per CPU second, ${((seconds / rows) * 1e6).toFixed(3)} s a million`,
  );
}
console.log(`${shard.entityCount} entities`);
