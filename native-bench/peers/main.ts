/** A peer's process: does one call after the other until its parent is gone. Arguments: name, directory. */
import { ClickHouse } from './clickhouse.js';
import { DuckDb } from './duckdb.js';
import type { Peer } from './peer.js';
import type { PeerCall, PeerReply } from './process.js';

const [name, dir] = process.argv.slice(2);
const opened: Promise<Peer> = name === 'DuckDB' ? DuckDb.open(dir) : ClickHouse.open(dir);

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
