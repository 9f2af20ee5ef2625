/** The items of SELECT, one per column of the answer; expands `*` and `t.*`. */
import { ENTITY_ID_COLUMN, lowerCase } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { SelectItem, SourcePosition, SqlNode } from '../../tree.js';
import { checkCount, OUTPUTS_MAX } from '../bounds.js';
import { nameOfRef, type Ref, SCORE, type Source, type Sources } from './sources.js';

export interface Item {
  readonly node: SqlNode;
  readonly alias: string | null;
  /** The column if the item is a plain column, otherwise null. */
  readonly ref: Ref | null;
}

/** Throws 6000 and 506. */
export function itemsOf(items: readonly SelectItem[], sources: Sources): readonly Item[] {
  const found: Item[] = [];
  for (const { of, alias } of items) {
    if (of.is === 'star') found.push(...starItems(of.table, of.position, sources));
    else found.push({ node: of, alias, ref: refOf(of, sources) });
    checkCount(found.length, OUTPUTS_MAX, 'columns in the answer', of.position);
  }
  return found;
}

/** The column if the node is a plain column, otherwise null. */
export function refOf(node: SqlNode, sources: Sources): Ref | null {
  const isName = node.is === 'column' || (node.is === 'string' && node.quotes === 'double');
  return isName ? sources.lookUp(node) : null;
}

/** `*` contains the entity ID and the score once, those of the first table; in PostgreSQL's dialect, no score. */
function starItems(table: string | null, position: SourcePosition, sources: Sources): Item[] {
  const { fact } = sources;
  if (fact === null) throw sqlError('* requires FROM', position);
  if (table !== null) {
    const source = sources.named(table, position);
    return [
      ...tableItems(source, position, sources, true),
      ...(source === fact ? scoreItems(fact, position, sources) : []),
    ];
  }
  return [
    ...sources.all.flatMap((source) => tableItems(source, position, sources, source === fact)),
    ...scoreItems(fact, position, sources),
  ];
}

function tableItems(source: Source, position: SourcePosition, sources: Sources, withId: boolean): Item[] {
  return sources
    .attributes(source)
    .filter(({ apiName }) => withId || apiName !== ENTITY_ID_COLUMN)
    .map((column) => itemOf({ is: 'column', source, column, part: 'attribute' }, source, position));
}

/** The score item, unless a column has that name or the dialect is PostgreSQL's. */
function scoreItems(fact: Source, position: SourcePosition, sources: Sources): Item[] {
  if (sources.dialect === 'postgres') return [];
  if (fact.dimension.columns.get(SCORE)?.active) return [];
  return [itemOf({ is: 'score' }, fact, position)];
}

/** An item for a column qualified with its table. */
function itemOf(ref: Ref, { qualifier }: Source, position: SourcePosition): Item {
  const name = nameOfRef(ref);
  const node: SqlNode = { is: 'column', table: qualifier, name, position, parenthesized: false };
  return { node, alias: null, ref };
}

/** Item indexes by lower-case alias; the first item wins if two have the same alias. */
export function aliasesOf(items: readonly Item[]): ReadonlyMap<string, number> {
  const aliases = new Map<string, number>();
  items.forEach(({ alias }, index) => {
    if (alias !== null && !aliases.has(lowerCase(alias))) aliases.set(lowerCase(alias), index);
  });
  return aliases;
}
