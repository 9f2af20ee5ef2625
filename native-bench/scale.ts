/** The size of a run. Entities come in whole blocks of 1,000. */
export interface Scale {
  readonly name: 'tiny' | 'small' | 'full';
  /** Ingest line: entities before the timed part, and within it. */
  readonly ingestWarmEntities: number;
  readonly ingestEntities: number;
  readonly ingestRounds: number;
  /** Connections of the load generator; the first number is used for HTTPS and for the comparison. */
  readonly connections: readonly number[];
  /** Sizes of the growing store on which counts, memory and restarts are measured. */
  readonly sizes: readonly number[];
  readonly workers: readonly number[];
  readonly countRounds: number;
  /** Counts per round and question, after the same number of untimed ones. */
  readonly countsPerRound: number;
  /** The same for the other databases, which are slower. */
  readonly peerCountsPerRound: number;
  /** Queries per round and question of the queries line. */
  readonly queriesPerRound: number;
  /** The page of an ordered extraction that is compared with the first one. */
  readonly latePage: number;
  /** Things of the sql line; two have the same label. */
  readonly things: number;
  /** Requests per SELECT and round of the sql line. */
  readonly selectsPerRound: number;
  /** Rows of an answer that is streamed. */
  readonly streamedRows: number;
  /** Requests of each round of the load line, and the connections that send them at once. */
  readonly loadRequests: number;
  readonly loadConnections: number;
  /** Inserted entities per second while counts are timed, and the duration. */
  readonly pacedEntitiesPerSecond: number;
  readonly pacedSeconds: number;
  readonly restartRounds: number;
  /** Entities of the store that restarts from its log alone; the log must be too small to cause a checkpoint. */
  readonly logEntities: number;
  /** Memory that the scan kernel reads; larger than any cache. */
  readonly scanBytes: number;
}

export const TINY: Scale = {
  name: 'tiny',
  ingestWarmEntities: 1_000,
  ingestEntities: 3_000,
  ingestRounds: 1,
  connections: [2],
  sizes: [1_000, 3_000],
  workers: [2, 1],
  countRounds: 2,
  countsPerRound: 2,
  peerCountsPerRound: 1,
  queriesPerRound: 2,
  latePage: 3,
  things: 2_000,
  selectsPerRound: 2,
  streamedRows: 2_000,
  loadRequests: 20,
  loadConnections: 2,
  pacedEntitiesPerSecond: 4_000,
  pacedSeconds: 1,
  restartRounds: 1,
  logEntities: 3_000,
  scanBytes: 2 ** 20,
};

export const SMALL: Scale = {
  name: 'small',
  ingestWarmEntities: 300_000,
  ingestEntities: 1_000_000,
  ingestRounds: 3,
  connections: [8],
  sizes: [300_000, 1_000_000],
  workers: [2, 1],
  countRounds: 4,
  countsPerRound: 60,
  peerCountsPerRound: 5,
  queriesPerRound: 20,
  latePage: 900,
  things: 200_000,
  selectsPerRound: 10,
  streamedRows: 500_000,
  loadRequests: 20_000,
  loadConnections: 64,
  pacedEntitiesPerSecond: 200_000,
  pacedSeconds: 5,
  restartRounds: 2,
  logEntities: 1_000_000,
  scanBytes: 192 * 2 ** 20,
};

export const FULL: Scale = {
  ...SMALL,
  name: 'full',
  ingestEntities: 2_000_000,
  ingestRounds: 5,
  connections: [8, 1, 64],
  sizes: [1_000_000, 3_000_000, 10_000_000],
  countRounds: 12,
  countsPerRound: 100,
  restartRounds: 3,
  latePage: 1_000,
  things: 2_000_000,
  streamedRows: 1_000_000,
  logEntities: 1_500_000,
};
