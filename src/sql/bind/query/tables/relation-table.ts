/**
 * A relation as a table: one row per event, with the values of the related event columns side by side. Each column stores its events
 * in a table of its own, in which related events have the same link; the rows are a full join of these tables.
 */
import { type Definition, type Expression, type RelationColumn, readColumn } from '../../../../ir/index.js';
import {
  type Column,
  type DatabaseModel,
  type Dimension,
  ENTITY_ID_COLUMN,
  isEventType,
  lowerCase,
  type Relation,
} from '../../../../schema/index.js';
import type { TableName } from '../../../tree.js';
import { namedOrDashed } from '../../clauses/sources.js';
import { firstPresent } from '../../expressions/choice.js';
import { compared } from '../../expressions/compare.js';
import { type Build, extended, joined } from '../build.js';
import type { BoundQuery, QueryContext } from '../context.js';
import type { OutputColumn } from '../plan-columns.js';
import { PLAIN_TRAITS } from '../plan-columns.js';
import type { QueryScope } from '../query-scope.js';
import { BaseTable } from './base-table.js';

export interface RelationTableName {
  readonly dimension: Dimension;
  readonly relation: Relation;
}

/** The relations with a name in SQL. */
export function relationsNamed(name: string, { dimensions }: DatabaseModel): readonly RelationTableName[] {
  return [...dimensions.values()].flatMap((dimension) => {
    const relations = [...dimension.relations.values()].filter(
      (relation) => relationColumns({ dimension, relation }).length > 0,
    );
    const byName = new Map(relations.map((relation) => [lowerCase(relation.name), relation]));
    const relation = namedOrDashed(byName, lowerCase(name));
    return relation === null ? [] : [{ dimension, relation }];
  });
}

/** The active columns of a relation, in its order. */
export function relationColumns({ dimension, relation }: RelationTableName): readonly Column[] {
  const byId = new Map([...dimension.columns.values()].map((column) => [column.id, column]));
  return relation.columnIds.flatMap((id) => {
    const column = byId.get(id);
    return column?.active === true && isEventType(column.type) ? [column] : [];
  });
}

/** Columns that every event has. */
type EventKey = Readonly<Record<'id' | 'link' | 'date', OutputColumn>>;

/** Its columns are entity-id, date (that of the first column with the event) and one per event column that
 * the caller may use. Throws 6000, 506. */
export function bindRelation(
  table: TableName,
  named: RelationTableName,
  { request, columns }: Pick<QueryContext, 'request' | 'columns'>,
  scope: QueryScope,
): BoundQuery {
  const { dimension } = named;
  const all = relationColumns(named);
  const allowed = all.filter((column) => request.access.allows(dimension, column));
  if (allowed.length === 0) request.access.checkColumn(dimension, all[0]);
  const members = allowed.map((column) => {
    const base = new BaseTable(
      table,
      { dimension: dimension.apiName, events: column.apiName },
      request,
      columns,
    );
    const [id, date, value] = base.all();
    return { base, id, date, link: base.link(), value: { ...value, name: column.apiName } };
  });
  let key: EventKey = members[0];
  let build: Build = () => members[0].base.scan();
  for (const member of members.slice(1)) {
    const [before, left] = [build, key];
    const same = (name: 'id' | 'link'): Expression =>
      compared('=', readColumn(left[name]), readColumn(member[name]), table.position, scope);
    const conditions = [same('id'), same('link')];
    const definitions: Definition[] = [];
    const either = (name: keyof EventKey): OutputColumn => {
      const of = firstPresent([readColumn(left[name]), readColumn(member[name])], table.position);
      const { letters } = columns.traits(left[name].column);
      const column: RelationColumn = columns.add(of.type, { ...PLAIN_TRAITS, letters }, left[name].name);
      definitions.push({ column: column.column, of });
      return { ...column, name: left[name].name, constant: null };
    };
    key = { id: either('id'), link: either('link'), date: either('date') };
    build = () => extended(joined('full', before(), member.base.scan(), conditions, columns), definitions);
  }
  const values = members.map(({ value }) => value);
  return {
    build,
    columns: [{ ...key.id, name: ENTITY_ID_COLUMN }, { ...key.date, name: 'date' }, ...values],
  };
}
