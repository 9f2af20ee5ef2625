/** Fixtures for tests of SELECTs: a store of people, and SQL queries of it. */

import { FULL_ACCESS, type Json } from '../../src/api/index.js';
import type { Prng } from '../../src/base/index.js';
import { databaseOf } from '../../src/catalog/index.js';
import type { QueryOptions, SelectRequest } from '../../src/engine/index.js';
import { bindSelect, readScript } from '../../src/sql/index.js';
import { jsonObject, num } from '../support/generate.js';
import { flatRead } from '../support/sql/flat-read.js';
import { DATABASE_ID, NOW_MS, QUERY_OPTIONS, type TestStore } from './store.js';

export const COLUMNS: Json = [
  jsonObject({ name: 'n', type: 'integer' }),
  jsonObject({ name: 'd', type: 'decimal', 'decimal-places': num(2) }),
  jsonObject({ name: 'word', type: 'string' }),
  jsonObject({ name: 'day', type: 'date' }),
  jsonObject({ name: 'visits', type: 'integer-event' }),
];

export function requestsOf(store: TestStore, text: string): SelectRequest[] {
  const script = readScript(text);
  if (script.kind !== 'reads') throw new Error(`${text} is not a SELECT`);
  const model = databaseOf(store.engine.catalog(), DATABASE_ID);
  return script.statements.map((statement) => ({
    plan: bindSelect(flatRead(statement), { model, nowMs: NOW_MS, access: FULL_ACCESS }),
    explain: statement.explain,
  }));
}

export async function bytesOf(
  store: TestStore,
  text: string,
  format: 'json' | 'ndjson' | 'csv' = 'json',
  options: QueryOptions = QUERY_OPTIONS,
): Promise<string> {
  const { parts } = store.engine.select(requestsOf(store, text), format, options);
  const read: Uint8Array[] = [];
  for await (const part of parts) read.push(part);
  return Buffer.concat(read).toString('utf8');
}

export type Rows = readonly Readonly<Record<string, unknown>>[];

export async function rowsOf(
  store: TestStore,
  text: string,
  options: QueryOptions = QUERY_OPTIONS,
): Promise<Rows> {
  return (JSON.parse(`{${await bytesOf(store, text, 'json', options)}}`) as { result: Rows }).result;
}

/** People with values, some missing, and events. */
export async function fill(store: TestStore, prng: Prng, count: number): Promise<void> {
  await store.createColumns(COLUMNS);
  for (let from = 0; from < count; from += 1_000) {
    const entities: Record<string, Json> = {};
    for (let index = from; index < Math.min(count, from + 1_000); index++) {
      const values: Record<string, Json> = {};
      if (prng.chance(0.9)) values.n = num(prng.between(-1_000, 1_000));
      if (prng.chance(0.9)) values.d = num(`${prng.between(-9_999, 9_999)}.${prng.between(10, 99)}`);
      if (prng.chance(0.9)) values.word = `w${prng.below(20)}`;
      if (prng.chance(0.9)) values.day = `20${prng.between(10, 19)}-0${prng.between(1, 9)}-1${prng.below(9)}`;
      if (prng.chance(0.5)) {
        values.visits = Array.from({ length: prng.between(1, 3) }, () =>
          jsonObject({ value: num(prng.below(9)), date: `2016-01-0${prng.between(1, 9)}` }),
        );
      }
      if (Object.keys(values).length === 0) values.n = num(0);
      entities[`e${index}`] = jsonObject(values);
    }
    await store.insert(jsonObject(entities));
  }
}
