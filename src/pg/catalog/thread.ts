/**
 * The catalog thread: a Postgres in WebAssembly that holds empty tables.
 * Invariants: its memory is limited by refusing growth; every query runs in a read-only transaction that is rolled back;
 * requests arrive one at a time; a Postgres that was interrupted by an exception of JavaScript answers nothing more.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { messagesIn } from '../protocol/messages.js';
import type { CatalogReply, CatalogRequest, CatalogStart } from './messages.js';

const PAGE_BYTES = 65_536;
/** For one process with one client and almost no data. Nothing is written, so a small write-ahead log suffices. */
const SETTINGS = [
  ...['shared_buffers=400kB', 'wal_buffers=32kB', 'max_connections=5', 'max_wal_size=32MB', 'work_mem=1MB'],
  ...['temp_buffers=800kB', 'temp_file_limit=8MB', 'max_stack_depth=100kB', 'jit=off'],
];
const QUERY = 'Q'.charCodeAt(0);
const DATA_ROW = 'D'.charCodeAt(0);
/**
 * The superuser that owns the tables, and the read-only role that runs queries, which is renamed to the client's user.
 * information_schema.tables reports every table as not insertable. pg_stat_activity has the rows that a query brings, as JSON.
 */
const OWNER = 'quarry_owner';
const READER = 'quarry_reader';
const PREPARATION = `
  UPDATE pg_authid SET rolname = '${OWNER}' WHERE rolname = current_user;
  SET SESSION AUTHORIZATION ${OWNER};
  CREATE ROLE ${READER} LOGIN IN ROLE pg_read_all_data;
  ALTER VIEW information_schema.tables RENAME TO _pg_tables;
  CREATE VIEW information_schema.tables AS SELECT table_catalog, table_schema, table_name, table_type,
    self_referencing_column_name, reference_generation, user_defined_type_catalog, user_defined_type_schema,
    user_defined_type_name, 'NO'::information_schema.yes_or_no AS is_insertable_into, is_typed, commit_action
    FROM information_schema._pg_tables;
  GRANT SELECT ON information_schema.tables TO PUBLIC;
  SET allow_system_table_mods = on;
  CREATE OR REPLACE VIEW pg_catalog.pg_stat_activity AS SELECT d.oid AS datid, d.datname, x.pid, NULL::int AS leader_pid,
    (SELECT oid FROM pg_authid WHERE rolname = x.usename) AS usesysid, x.usename, x.application_name, x.client_addr,
    NULL::text AS client_hostname, NULL::int AS client_port, x.backend_start, NULL::timestamptz AS xact_start, x.query_start,
    x.state_change, NULL::text AS wait_event_type, NULL::text AS wait_event, x.state, NULL::xid AS backend_xid,
    NULL::xid AS backend_xmin, NULL::bigint AS query_id, x.query, 'client backend'::text AS backend_type
    FROM json_to_recordset(coalesce(nullif(current_setting('quarry.activity', true), ''), '[]')::json) AS x (pid int,
      usename name, application_name text, client_addr inet, backend_start timestamptz, query_start timestamptz,
      state_change timestamptz, state text, query text), pg_database d WHERE d.datname = current_database();
  RESET allow_system_table_mods;`;
/**
 * Finds tables that the transaction has read: a table stays locked until the end if it was read, but not if it was only
 * named.
 */
const READ_TABLES = `SELECT 1 FROM pg_catalog.pg_locks WHERE locktype = 'relation' AND relation IN
  (SELECT oid FROM pg_catalog.pg_class WHERE relnamespace = 'public'::pg_catalog.regnamespace) LIMIT 1`;

interface GrowingMemory {
  readonly buffer: ArrayBuffer;
  grow(this: GrowingMemory, pages: number): number;
}

/** Makes memory growth beyond `bytesMax` fail, as on a machine without free memory. */
function limitMemory(bytesMax: number): { readonly bytes: () => number } {
  const prototype = WebAssembly.Memory.prototype as unknown as GrowingMemory;
  const { grow } = prototype;
  let bytes = 0;
  prototype.grow = function (this: GrowingMemory, pages: number): number {
    const wanted = this.buffer.byteLength + pages * PAGE_BYTES;
    if (wanted > bytesMax) throw new RangeError('the catalog may not have more memory');
    bytes = wanted;
    return grow.call(this, pages);
  };
  return { bytes: () => bytes };
}

/** The number that PGlite throws for an error of Postgres itself. */
const LONG_JUMP = 100;

/** The function of PGlite's module that handles one message. */
const MAIN_LOOP = '_PostgresMainLoopOnce';

/**
 * Finds exceptions that interrupt the code of Postgres, as a stack overflow does. PGlite goes on after them as after errors of
 * Postgres, with the state of the interrupted query.
 */
function interruptionsOf(database: PGlite): { readonly last: () => unknown } {
  const module: Record<string, () => void> = Reflect.get(database, 'mod');
  const handle = module[MAIN_LOOP];
  let last: unknown = null;
  module[MAIN_LOOP] = () => {
    try {
      handle();
    } catch (error) {
      if (typeof error !== 'object' || error === null || Reflect.get(error, 'status') !== LONG_JUMP)
        last = error;
      throw error;
    }
  };
  return { last: () => last };
}

function simpleQuery(text: string): Uint8Array {
  const body = Buffer.from(`${text}\0`, 'utf8');
  const head = Buffer.alloc(5);
  head[0] = QUERY;
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

async function open({ template }: CatalogStart): Promise<PGlite> {
  const database = await PGlite.create({
    loadDataDir: new Blob([gunzipSync(template)]),
    startParams: [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])],
  });
  await database.exec(PREPARATION);
  return database;
}

const named = (name: string): string => `"${name.replaceAll('"', '""')}"`;

async function show(database: PGlite, databaseName: string, tables: string): Promise<void> {
  await database.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public;');
  await database.exec(
    `UPDATE pg_database SET datname = '${databaseName.replaceAll("'", "''")}' WHERE oid =
       (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  await database.exec(tables);
}

interface Ran {
  readonly bytes: Uint8Array;
  readonly readsRows: boolean;
}

/** Runs a batch as the role `userName`. */
async function run(
  database: PGlite,
  { messages, userName, activity }: Extract<CatalogRequest, { readonly is: 'run' }>,
): Promise<Ran> {
  const sessions = `SET LOCAL quarry.activity = '${activity.replaceAll("'", "''")}'`;
  await database.execProtocolRaw(
    simpleQuery(`BEGIN READ ONLY; ${sessions}; SET LOCAL SESSION AUTHORIZATION ${named(userName)}`),
  );
  const bytes = await database.execProtocolRaw(messages);
  const locked = Buffer.from(await database.execProtocolRaw(simpleQuery(READ_TABLES)));
  await database.execProtocolRaw(simpleQuery('ROLLBACK'));
  return { bytes, readsRows: hasRow(locked) };
}

const hasRow = (messages: Buffer): boolean => [...messagesIn(messages)].some(([kind]) => kind === DATA_ROW);

async function serve(start: CatalogStart): Promise<void> {
  const port = parentPort;
  if (port === null) return;
  const memory = limitMemory(start.memoryBytesMax);
  const reply = (message: CatalogReply): void => port.postMessage(message);
  const failed = (error: unknown): void => {
    const why = error instanceof Error ? error.message : String(error);
    const isStack = /call stack|out of bounds|unreachable/i.test(why);
    const limit = isStack ? 'stack' : /memory/i.test(why) ? 'memory' : 'other';
    reply({ is: 'failed', why, limit });
  };
  const database = await open(start);
  const interruptions = interruptionsOf(database);
  let userName = READER;
  const work = async (request: CatalogRequest): Promise<Ran> => {
    if (request.is === 'show') {
      await show(database, request.databaseName, request.tables);
      return { bytes: new Uint8Array(0), readsRows: false };
    }
    if (request.userName !== userName) {
      await database.exec(`ALTER ROLE ${named(userName)} RENAME TO ${named(request.userName)}`);
      userName = request.userName;
    }
    return run(database, request);
  };
  port.on('message', (request: CatalogRequest) => {
    work(request).then(({ bytes, readsRows }) => {
      const memoryBytes = memory.bytes();
      const interruption = interruptions.last();
      if (interruption !== null) failed(interruption);
      else if (bytes.byteLength <= start.answerBytesMax) reply({ is: 'done', bytes, memoryBytes, readsRows });
      else reply({ is: 'failed', why: 'the answer is too long', limit: 'memory' });
    }, failed);
  });
  reply({ is: 'ready' });
}

serve(workerData as CatalogStart).catch((error) => {
  parentPort?.postMessage({ is: 'failed', why: String(error), limit: 'other' } satisfies CatalogReply);
});
