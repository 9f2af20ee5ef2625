/**
 * What every endpoint takes and gives, by its name (`METHOD path`). Who may call it, how often and how long its body may be
 * stand in the table of endpoints; document.ts puts both together.
 */
import { DATA_OPERATIONS } from './operations/data.js';
import { MODEL_OPERATIONS } from './operations/model.js';
import type { Operations } from './operations/operation.js';
import { QUERY_OPERATIONS } from './operations/queries.js';
import { TEAM_OPERATIONS } from './operations/team.js';

export { type Operation, TAGS } from './operations/operation.js';

export const OPERATIONS: Operations = {
  ...MODEL_OPERATIONS,
  ...DATA_OPERATIONS,
  ...QUERY_OPERATIONS,
  ...TEAM_OPERATIONS,
};
