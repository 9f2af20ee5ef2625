/**
 * Measures how fast insert bodies become batches, on one core. Run after a build:
 * node dist/native-bench/kernels/ingest.bench.js [seconds]
 * Prints entities and megabytes per second for each of the two parsers, and a checksum over the decoded batches. The
 * checksum depends only on the seed and the bodies, so equal checksums show that the batches are equal.
 */
import { readFileSync } from 'node:fs';
import { Prng } from '../../src/base/index.js';
import { decodeBatch } from '../../src/column/index.js';
import {
  createIngestScratch,
  type IngestScratch,
  type ParsedInsert,
  parseInsert,
} from '../../src/ingest/index.js';
import { compileKernels } from '../../src/kernels/index.js';
import { type Column, type DatabaseModel, ENTITY_ID, newDimension } from '../../src/schema/index.js';

const SEED = 7;
const BODY_COUNT = 32;
const ENTITIES_PER_BODY = 1_000;
const SHARD_COUNT = 2;
const NOW_MS = Date.UTC(2026, 1, 1);
const CHECKSUM_EXPECTED = '6609ddd5';

function column(id: number, apiName: string, type: Column['type']): Column {
  const decimalPlaces = type === 'decimal' ? 6 : null;
  const storage = type.endsWith('-event') ? null : 'latest-value';
  return { ...ENTITY_ID, id, name: apiName, apiName, type, storage, decimalPlaces };
}

function model(): DatabaseModel {
  const people = newDimension({ id: 2, apiName: 'people' });
  const columns = new Map(people.columns);
  const types: [string, Column['type']][] = [
    ['country', 'string'],
    ['city', 'string'],
    ['age', 'integer'],
    ['income', 'decimal'],
    ['active', 'boolean'],
    ['visits', 'string-event'],
  ];
  types.forEach(([name, type], index) => {
    columns.set(name, column(index + 1, name, type));
  });
  return {
    id: 1,
    name: 'bench',
    type: 'production',
    version: 1,
    shrinkVersion: 1,
    nextDimensionId: 3,
    nextColumnId: 7,
    textCase: 'fold',
    dimensions: new Map([
      ['default', newDimension({ id: 1, apiName: 'default' })],
      ['people', { ...people, columns }],
    ]),
  };
}

function body(random: Prng, firstId: number): Uint8Array {
  const countries = ['germany', 'france', 'spain', 'italy', 'japan', 'canada'];
  const instant = (): string =>
    new Date(NOW_MS - random.below(30 * 86_400) * 1000).toISOString().replace('.000', '');
  const visit = (): object => ({ value: random.pick(['home', 'buy', 'search']), date: instant() });
  const entities: Record<string, object> = {};
  for (let index = 0; index < ENTITIES_PER_BODY; index++) {
    entities[`u${firstId + index}`] = {
      dimension: 'people',
      country: random.pick(countries),
      city: `city-${random.below(10_000)}`,
      age: random.below(100),
      income: random.below(10_000_000) / 100,
      active: random.chance(0.5),
      visits: [visit(), visit()],
    };
  }
  return new TextEncoder().encode(JSON.stringify(entities));
}

function fold(sum: number, words: ArrayLike<number>): number {
  let folded = sum;
  for (let index = 0; index < words.length; index++) folded = (Math.imul(folded, 31) + words[index]) | 0;
  return folded;
}

function checksum(parsed: ParsedInsert, start: number): number {
  let sum = fold(start, [parsed.entityCount, parsed.valueCount]);
  for (const offset of parsed.batches) {
    const batch = decodeBatch(parsed.buffer, offset.offset, offset.byteLength);
    sum = fold(fold(sum, batch.idHashes), batch.idBytes);
    for (const { rows, dates, values } of batch.sections) {
      sum = fold(fold(sum, rows), dates ?? []);
      if (values.kind === 'bits') sum = fold(sum, values.bits);
      else if (values.kind === 'i64') sum = fold(sum, values.words);
      else if (values.kind === 'code')
        sum = fold(fold(fold(sum, values.hashes), values.offsets), values.bytes);
    }
  }
  return sum;
}

const random = new Prng(SEED);
const bodies = Array.from({ length: BODY_COUNT }, (_, index) =>
  body(random, 1_000_000 + index * ENTITIES_PER_BODY),
);
const context = { model: model(), shardCount: SHARD_COUNT, nowMs: NOW_MS, customKey: false, columnIds: null };
const KERNELS = compileKernels(readFileSync(new URL('../../src/kernels/kernels.wasm', import.meta.url)));

function measure(name: string, scratch: IngestScratch, seconds: number): void {
  const parse = (bytes: Uint8Array): ParsedInsert => {
    const outcome = parseInsert(bytes, context, scratch);
    if ('error' in outcome) throw new Error(outcome.error.message);
    return outcome.parsed;
  };
  const sum = (bodies.reduce((folded, bytes) => checksum(parse(bytes), folded), 0) >>> 0).toString(16);
  for (let round = 0; round < 20; round++) for (const bytes of bodies) parse(bytes);
  let entityCount = 0;
  let byteCount = 0;
  const cpuBefore = process.cpuUsage();
  const started = process.hrtime.bigint();
  let elapsed = 0;
  while (elapsed < seconds) {
    for (const bytes of bodies) {
      entityCount += parse(bytes).entityCount;
      byteCount += bytes.length;
    }
    elapsed = Number(process.hrtime.bigint() - started) / 1e9;
  }
  const cpu = process.cpuUsage(cpuBefore);
  const cpuSeconds = (cpu.user + cpu.system) / 1e6;
  const rate = (took: number): string => Math.round(entityCount / took).toLocaleString('en');
  console.log(
    `${name}: ${rate(elapsed)} entities/s (${rate(cpuSeconds)} per CPU second, including garbage collection)`,
  );
  console.log(
    `${(byteCount / elapsed / 1e6).toFixed(0)} MB/s, ${(byteCount / entityCount).toFixed(0)} bytes an entity`,
  );
  console.log(`checksum ${sum} ${sum === CHECKSUM_EXPECTED ? 'as expected' : `is not ${CHECKSUM_EXPECTED}`}`);
}

const seconds = Number(process.argv[2] ?? 3);
measure('SIMD', createIngestScratch(KERNELS), seconds);
measure('TypeScript', createIngestScratch(null), seconds);
