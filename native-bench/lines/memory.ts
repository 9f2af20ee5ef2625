/** The memory line: resident memory of the rows, compared with the bytes of their values. */
import type { Bench } from '../bench.js';
import type { Spread } from '../measure.js';
import type { Expected } from '../oracle.js';
import type { QuarryServer } from '../server/quarry.js';
import type { Table, TableCell } from '../table.js';

const WANTED_RATIO = 1.5;
const megabytes = (bytes: number): number => bytes / 1e6;

/** `emptyBytes` is the resident memory of the same server before its first row. Takes a checkpoint. */
export async function memoryRow(
  server: QuarryServer,
  expected: Expected,
  emptyBytes: number,
): Promise<TableCell[]> {
  await server.checkpoint();
  const residentBytes = server.residentBytes();
  const { ownBytes } = expected;
  const claimedBytes = (await server.metrics()).get('quarry_memory_used_bytes') as number;
  return [
    `${expected.entityCount.toLocaleString('en-US')} entities, ${expected.eventCount.toLocaleString('en-US')} events`,
    megabytes(ownBytes),
    megabytes(emptyBytes),
    megabytes(residentBytes),
    (residentBytes - emptyBytes) / ownBytes,
    WANTED_RATIO,
    megabytes(claimedBytes),
    claimedBytes / ownBytes,
  ];
}

/** The spread of a value that is measured once. */
const exactly = (bytes: number): Spread => {
  const value = megabytes(bytes);
  return { median: value, min: value, max: value };
};

/** Resident memory of the rows, compared with DuckDB's in-memory database; both without the memory of the empty process. */
export function compareMemory(bench: Bench, ownBytes: number, duckDbBytes: number): void {
  bench.compare({
    ...{ line: 'memory', name: 'resident for the rows', unit: 'MB', better: 'less' },
    quarry: exactly(ownBytes),
    p99: null,
    peers: [{ name: 'DuckDB', spread: exactly(duckDbBytes) }],
    ofMemory: null,
  });
}

/** Size of each program: executable, native libraries, and Quarry's bundles and kernels. */
export function compareSizes(bench: Bench, server: QuarryServer): void {
  bench.compare({
    ...{ line: 'size', name: 'programs', unit: 'MB', better: 'less' },
    quarry: exactly(server.codeBytes()),
    p99: null,
    peers: bench.peers.map((peer) => ({ name: peer.name, spread: exactly(peer.codeBytes()) })),
    ofMemory: null,
  });
}

export function memoryTable({ scale }: Bench, rows: readonly (readonly TableCell[])[]): Table {
  return {
    line: 'memory',
    title: `Memory after a checkpoint, ${scale.workers[0]} workers`,
    columns: [
      '',
      'own MB',
      'empty server MB',
      'resident MB',
      '(resident - empty) / own',
      'wanted at 10 M',
      'counted by the server MB',
      'counted / own',
    ],
    rows,
    notes: [
      'own: 8 bytes an integer, decimal, datetime and event date, 4 a date, 1 a boolean, 16 a geolocation, UTF-8 bytes of strings and IDs',
    ],
  };
}
