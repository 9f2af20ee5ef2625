/**
 * Histories of clients that write and read registers of a real server at the same time, over HTTP and HTTPS, by JSON and
 * by SQL. A register is several entities in different shards that are always written together: a reader that sees one of
 * them changed must see all changed.
 */
import { Prng } from '../../../src/base/index.js';
import { JsonClient } from '../../support/json-client.js';
import { ServerProcess } from '../../support/server-process.js';
import { faultOf, type Operation } from './register-history.js';
import type { TortureOptions } from './torture-options.js';

const REGISTERS = 5;
/** Entities of one register. */
const ENTITIES = 6;
const CLIENTS = 8;
const WRITE_SHARE = 0.4;
const COLUMN = 'number';

const idsOf = (history: number, register: number): string[] =>
  Array.from({ length: ENTITIES }, (_, entity) => `h${history}-r${register}-${entity}`);

export const createRegisterColumn = (client: JsonClient): Promise<unknown> =>
  client.succeed({ path: '/v1/column', body: [{ name: COLUMN, type: 'integer' }] });

const SQL = { 'content-type': 'application/sql' };
/** The prefix of all IDs of a register and of no other IDs. */
const prefixOf = ([id]: readonly string[]): string => id.slice(0, -1);
const listed = (ids: readonly string[]): string => ids.map((id) => `'${id}'`).join(', ');

/** Sets all entities of the register to the value. */
async function write(client: JsonClient, prng: Prng, ids: readonly string[], value: number): Promise<void> {
  const way = prng.below(3);
  if (way === 0) {
    const body = Object.fromEntries(ids.map((id) => [id, { [COLUMN]: value }]));
    await client.succeed({ path: '/v1/insert', body, plain: prng.chance(0.5) });
  } else if (way === 1) {
    const query = [{ 'entity-id': { 'starts-with': prefixOf(ids) } }];
    await client.succeed({ path: '/v1/update', body: { query, set: { [COLUMN]: value } } });
  } else {
    const text = `UPDATE [default] SET ${COLUMN} = ${value} WHERE [entity-id] IN (${listed(ids)})`;
    await client.succeed({ path: '/v1/sql', text, headers: SQL });
  }
}

/** The values of the register's entities, in any order. */
async function read(client: JsonClient, prng: Prng, ids: readonly string[]): Promise<number[]> {
  if (prng.chance(0.5)) {
    const text = `SELECT ${COLUMN} FROM [default] WHERE [entity-id] IN (${listed(ids)})`;
    const answer = await client.succeed({ path: '/v1/sql', text, headers: SQL });
    return (answer as { result: Record<string, number>[] }).result.map((row) => row[COLUMN]);
  }
  const body = { query: [{ 'entity-id': { 'starts-with': prefixOf(ids) } }], columns: [COLUMN] };
  const answer = await client.succeed({ path: '/v1/data_extraction/result', body });
  const { data } = answer as { data: Record<string, Record<string, string>> };
  return Object.values(data).map((row) => Number(row[COLUMN]));
}

export interface History {
  readonly operations: readonly Operation[];
  /** Description of the error; null = none. */
  readonly fault: string | null;
}

/** Runs one history of about `operationCount` operations on entities of its own. Rejects when a request is refused. */
export async function runHistory(
  client: JsonClient,
  history: number,
  seed: number,
  operationCount: number,
): Promise<History> {
  const operations: Operation[] = [];
  let torn: string | null = null;
  let nextValue = 1;
  const all = Array.from({ length: REGISTERS }, (_, register) => idsOf(history, register)).flat();
  const body = Object.fromEntries(all.map((id) => [id, { [COLUMN]: 0 }]));
  await client.succeed({ path: '/v1/insert', body });
  const one = async (number: number): Promise<void> => {
    const prng = new Prng(seed * 100 + number);
    for (let done = 0; done < operationCount / CLIENTS && torn === null; done++) {
      const register = prng.below(REGISTERS);
      const ids = idsOf(history, register);
      const kind = prng.chance(WRITE_SHARE) ? 'write' : 'read';
      let value = 0;
      const sentMs = performance.now();
      if (kind === 'write') {
        value = nextValue++;
        await write(client, prng, ids, value);
      } else {
        const values = await read(client, prng, ids);
        value = values[0];
        if (values.length !== ENTITIES || values.some((other) => other !== value)) {
          torn = `register ${register} was half ${values.join(', ')} for client ${number}`;
        }
      }
      operations.push({ register, kind, value, sentMs, answeredMs: performance.now(), client: number });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => one(number)));
  return { operations, fault: torn ?? faultOf(operations) };
}

/** `npm run torture -- --what histories`. */
export async function histories({ dir, rounds, seed, operations }: TortureOptions): Promise<boolean> {
  const server = new ServerProcess({ dir, flags: ['--workers', '2', '--shards', '5'] });
  const startedAt = performance.now();
  let faults = 0;
  try {
    const client = new JsonClient(await server.serving, server.keys().master);
    await createRegisterColumn(client);
    for (let history = 0; history < rounds; history++) {
      const { fault } = await runHistory(client, history, seed + history, operations);
      if (fault === null) continue;
      faults++;
      console.log(`history ${history}: ${fault}`);
    }
    client.close();
  } finally {
    await server.kill();
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${rounds} histories of ${operations} operations, ${faults} with a fault, ${seconds} s`);
  return faults === 0;
}
