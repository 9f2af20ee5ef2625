/** Determines what the rows of a SELECT are and how they are grouped. */
import { quoted } from '../../../base/index.js';
import type { Column } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { SelectStatement, SourcePosition, SqlNode } from '../../tree.js';
import { aggregateIn, isAggregate } from '../functions/aggregate-functions.js';
import { nodesOf } from '../nodes.js';
import { type Item, refOf } from './items.js';
import type { GroupNode } from './order.js';
import { nameOfRef, type Sources } from './sources.js';

/**
 *   keys      GROUP BY                                  rows      none
 *   one       only aggregates: all rows are one group   outputs   DISTINCT rows: grouped by the outputs
 *   entities  aggregates together with columns: each entity is a group
 */
export type GroupingShape = 'keys' | 'one' | 'entities' | 'outputs' | 'rows';

export interface Shape {
  readonly grouping: GroupingShape;
  /** The column whose events are the rows; null = rows are entities. */
  readonly rowEvents: Column | null;
}

/** The columns that expressions read outside aggregates. */
interface PlainUses {
  readonly attributes: boolean;
  readonly events: readonly {
    readonly column: Column;
    readonly name: string;
    readonly position: SourcePosition;
  }[];
}

/** `having` are the conditions on groups. Throws 6000. */
export function shapeOf(
  { distinct, orderBy, from }: SelectStatement,
  items: readonly Item[],
  groups: readonly GroupNode[],
  having: readonly SqlNode[],
  sources: Sources,
): Shape {
  const groupBy = groups.map(({ node }) => node);
  const selected = items.map(({ node }) => node);
  const everywhere = [...selected, ...having, ...orderBy.map(({ of }) => of)];
  const aggregate = everywhere.map(aggregateIn).find((node) => node !== null) ?? null;
  if (from === null) {
    const [grouping] = [...groupBy, ...(aggregate === null ? [] : [aggregate])];
    if (grouping !== undefined) throw sqlError('groups and aggregates require FROM', grouping.position);
  }
  const uses = plainUses(items, sources);
  if (groupBy.length > 0)
    return { grouping: 'keys', rowEvents: oneColumn(nodeUses(groupBy, sources).events) };
  if (aggregate !== null && uses.attributes && sources.dialect === 'postgres') throw ungrouped(items);
  if (aggregate !== null) return { grouping: uses.attributes ? 'entities' : 'one', rowEvents: null };
  const grouping = distinct && from !== null ? 'outputs' : 'rows';
  return { grouping, rowEvents: oneColumn(uses.events) };
}

/** PostgreSQL has no groups by entity. */
function ungrouped(items: readonly Item[]): Error {
  const plain = items.find(({ ref }) => ref !== null && isPlain(ref)) ?? items[0];
  const name = plain.ref === null ? 'a column beside an aggregate' : quoted(nameOfRef(plain.ref));
  return sqlError(`${name} must be in GROUP BY or in an aggregate`, plain.node.position);
}

function plainUses(items: readonly Item[], sources: Sources): PlainUses {
  const written = nodeUses(
    items.filter(({ ref }) => ref === null || ref.is === 'column').map(({ node }) => node),
    sources,
  );
  return {
    ...written,
    attributes: written.attributes || items.some(({ ref }) => ref !== null && isPlain(ref)),
  };
}

const isPlain = (ref: NonNullable<Item['ref']>): boolean => ref.is === 'score' || ref.part === 'attribute';

function nodeUses(nodes: readonly SqlNode[], sources: Sources): PlainUses {
  let attributes = false;
  const events: PlainUses['events'][number][] = [];
  for (const root of nodes) {
    for (const node of nodesOf(root, (part) => !isAggregate(part))) {
      const ref = refOf(node, sources);
      if (ref === null) continue;
      if (isPlain(ref)) attributes = true;
      else if (ref.is === 'column' && ref.source.index === 0) {
        events.push({ column: ref.column, name: nameOfRef(ref), position: node.position });
      }
    }
  }
  return { attributes, events };
}

function oneColumn(events: PlainUses['events']): Column | null {
  const [first] = events;
  if (first === undefined) return null;
  const other = events.find(({ column }) => column !== first.column);
  if (other === undefined) return first.column;
  const [one, two] = [quoted(first.name), quoted(other.name)];
  throw sqlError(
    `the rows are the events of one column, but ${one} and ${two} are two columns`,
    other.position,
  );
}
