/**
 * The process of a peer: executes calls one by one until its parent ends. Arguments: name, directory, and 'kept' to open
 * the data that an earlier process stored in it.
 */
import { ClickHouse } from './clickhouse.js';
import { DuckDb } from './duckdb.js';
import type { Peer } from './peer.js';
import type { PeerCall, PeerReply } from './process.js';

const [name, dir, retained] = process.argv.slice(2);
const kind = name === 'DuckDB' ? DuckDb : ClickHouse;
const opened: Promise<Peer> = retained === undefined ? kind.open(dir) : kind.reopen(dir);

async function reply({ id, method, args }: PeerCall): Promise<PeerReply> {
  try {
    const peer = await opened;
    const work = peer[method] as (...args: readonly unknown[]) => Promise<unknown>;
    return { id, value: await work.apply(peer, args as unknown[]) };
  } catch (error) {
    return { id, error: String((error as Error).stack ?? error) };
  }
}

let last: Promise<unknown> = opened.catch(() => {});
process.on('message', (call: PeerCall) => {
  last = last.then(async () => process.send?.(await reply(call)));
});
process.on('disconnect', () => process.exit(0));
