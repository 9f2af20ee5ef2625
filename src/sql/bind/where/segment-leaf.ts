/** [entity-id] IN SEGMENT 'name' in WHERE: a condition of the interface on the table's entities. */
import { QuarryError } from '../../../base/index.js';
import type { Condition } from '../../../ir/index.js';
import { ENTITY_ID_COLUMN } from '../../../schema/index.js';
import { IN_SEGMENT } from '../../in-segment.js';
import { sqlError } from '../../sql-error.js';
import type { SqlNode } from '../../tree.js';
import type { LeafScope } from './leaf.js';

/** Null for another node. Throws 506, 9106 and 6000 for another operand than the table's entity ID, and for an unknown segment. */
export function segmentLeaf(node: SqlNode, { sources, table }: LeafScope): Condition | null {
  if (node.is !== 'call' || node.name !== IN_SEGMENT) return null;
  const [of, name] = node.args;
  const ref = of.is === 'column' || of.is === 'string' ? sources.lookUp(of) : null;
  const isId = ref !== null && ref.is === 'column' && ref.column.apiName === ENTITY_ID_COLUMN;
  if (!isId || ref.source.index !== table || name.is !== 'string') {
    throw sqlError('IN SEGMENT tests the entity-id of the table', node.position);
  }
  try {
    return sources.segment(name.text, ref.source);
  } catch (error) {
    if (!(error instanceof QuarryError) || error.code !== 9101) throw error;
    throw sqlError(error.message.replace(/^[^:]*: /, ''), name.position);
  }
}
