/** Removes sorts without a limit whose order no operator above uses. */
import type { Relation } from '../../../ir/index.js';
import { overInputs } from '../../relations/tree.js';

/** `root` is the root of a tree: its order is that of the answer. */
export const withoutUnusedOrders = (root: Relation): Relation => ordered(root, true);

function ordered(relation: Relation, isUsed: boolean): Relation {
  switch (relation.op) {
    case 'sort': {
      if (!isUsed && relation.limit === null && relation.offset === 0) return ordered(relation.input, false);
      // LIMIT alone keeps the order of its input.
      return { ...relation, input: ordered(relation.input, relation.keys.length === 0) };
    }
    case 'filter':
    case 'project':
      return { ...relation, input: ordered(relation.input, isUsed) };
    default:
      return overInputs(relation, (input) => ordered(input, false));
  }
}
