/**
 * The thread that answers queries of the catalog: a Postgres in WebAssembly that holds empty tables.
 * Invariants: its memory is bounded, by refusing to let it grow; every query runs in a transaction that is read-only and
 * rolled back; what it is asked comes one behind the other.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import type { CatalogReply, CatalogRequest, CatalogStart } from './catalog-messages.js';

const PAGE_BYTES = 65_536;
/** For one process with one client and almost no data; nothing is written, so a short log does. */
const SETTINGS = [
  ...['shared_buffers=400kB', 'wal_buffers=32kB', 'max_connections=5', 'max_wal_size=32MB', 'work_mem=1MB'],
  ...['temp_buffers=800kB', 'temp_file_limit=8MB', 'max_stack_depth=100kB', 'jit=off'],
];
const QUERY = 'Q'.charCodeAt(0);

interface GrowingMemory {
  readonly buffer: ArrayBuffer;
  grow(this: GrowingMemory, pages: number): number;
}

/** Memory that grows to `bytesMax` at most: beyond that growing fails, as it does when a machine has no more. */
function boundMemory(bytesMax: number): { readonly bytes: () => number } {
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
  return database;
}

async function show(database: PGlite, databaseName: string, tables: string): Promise<void> {
  await database.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public;');
  await database.exec(
    `UPDATE pg_database SET datname = '${databaseName.replaceAll("'", "''")}' WHERE oid =
       (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  await database.exec(tables);
}

async function run(database: PGlite, messages: Uint8Array): Promise<Uint8Array> {
  await database.execProtocolRaw(simpleQuery('BEGIN READ ONLY'));
  const bytes = await database.execProtocolRaw(messages);
  await database.execProtocolRaw(simpleQuery('ROLLBACK'));
  return bytes;
}

async function serve(start: CatalogStart): Promise<void> {
  const port = parentPort;
  if (port === null) return;
  const memory = boundMemory(start.memoryBytesMax);
  const reply = (message: CatalogReply): void => port.postMessage(message);
  const failed = (error: unknown): void => {
    const why = error instanceof Error ? error.message : String(error);
    reply({ is: 'failed', why, tooMuch: /memory/i.test(why) });
  };
  const database = await open(start);
  port.on('message', (request: CatalogRequest) => {
    const work =
      request.asks === 'show'
        ? show(database, request.databaseName, request.tables).then(() => new Uint8Array(0))
        : run(database, request.messages);
    work.then((bytes) => {
      const memoryBytes = memory.bytes();
      if (bytes.byteLength <= start.answerBytesMax) reply({ is: 'done', bytes, memoryBytes });
      else reply({ is: 'failed', why: 'the answer is too long', tooMuch: true });
    }, failed);
  });
  reply({ is: 'ready' });
}

serve(workerData as CatalogStart).catch((error) => {
  parentPort?.postMessage({ is: 'failed', why: String(error), tooMuch: false } satisfies CatalogReply);
});
