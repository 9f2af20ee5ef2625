/** The reads that writes need before they are bound. */
import type { Batch } from '../../column/index.js';
import type { ReadPlan } from '../../ir/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { BoundInsert } from './writes.js';

/** Reads for a script; see ScriptReader in src/engine/api.ts. */
export interface RowReader {
  lines(plan: (model: DatabaseModel) => ReadPlan): Promise<readonly string[]>;
  stored(write: BoundInsert): Promise<readonly Batch[]>;
}
