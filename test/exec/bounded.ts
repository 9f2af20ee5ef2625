/** Runs of queries as a server bounds them. */
import { QueryRun } from '../../src/exec/query-run.js';

/** A run that is never stopped; what finds no room in an arena is refused. */
export const boundedRun = (bytesMax: number = 2 ** 30): QueryRun => new QueryRun(null, 0, bytesMax);
