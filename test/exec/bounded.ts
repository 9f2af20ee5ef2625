/** Runs of queries with the limits of a server. */
import { QueryRun } from '../../src/exec/query-run.js';

/** A run that is never canceled; operations that exceed the capacity of an arena are refused. */
export const boundedRun = (bytesMax: number = 2 ** 30): QueryRun => new QueryRun(null, 0, bytesMax);
