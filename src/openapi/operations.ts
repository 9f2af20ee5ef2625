/**
 * The request and answer of every endpoint, by its name (`METHOD path`). The table of endpoints defines who may call it, how
 * often, and the maximum length of its body; document.ts combines both.
 */
import { BEHAVIOUR_OPERATIONS } from './operations/behaviour.js';
import { DATA_OPERATIONS } from './operations/data.js';
import { MODEL_OPERATIONS } from './operations/model.js';
import type { Operations } from './operations/operation.js';
import { QUERY_OPERATIONS } from './operations/queries.js';
import { SEGMENT_OPERATIONS } from './operations/segments.js';
import { TEAM_OPERATIONS } from './operations/team.js';

export { type Operation, TAGS } from './operations/operation.js';

export const OPERATIONS: Operations = {
  ...MODEL_OPERATIONS,
  ...DATA_OPERATIONS,
  ...QUERY_OPERATIONS,
  ...BEHAVIOUR_OPERATIONS,
  ...SEGMENT_OPERATIONS,
  ...TEAM_OPERATIONS,
};
