/** Binds tables of WITH RECURSIVE that read themselves: a first part, UNION [ALL], and a recursive part. */
import { quoted } from '../../../base/index.js';
import { type Relation, type RelationColumn, readColumn, relationInputs } from '../../../ir/index.js';
import { lowerCase } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { CommonTable, Query, QueryBody, SourcePosition } from '../../tree.js';
import { castTo } from '../expressions/coerce.js';
import { sameType, typeName } from '../expressions/types.js';
import type { BoundQuery, VisibleTable, VisibleTables } from './context.js';
import { type OutputColumn, PLAIN_TRAITS, type PlanColumns } from './plan-columns.js';
import { tableUses } from './table-uses.js';

/** Whether the table reads itself. */
export const isRecursive = ({ recursive, query, name }: CommonTable): boolean =>
  recursive && (tableUses(query).get(lowerCase(name)) ?? 0) > 0;

type BindWithin = (query: Query, visible: VisibleTables, isRound: boolean) => BoundQuery;

/** `visible`: the tables of WITH that both parts see, without the table itself. Throws 6000, 506. */
export function bindRecursive(
  table: VisibleTable,
  visible: VisibleTables,
  recursion: number,
  columns: PlanColumns,
  bind: BindWithin,
): BoundQuery {
  const { definition } = table;
  const name = lowerCase(definition.name);
  const body = unionOf(definition);
  const first = bind(queryOf(body.left), visible, false);
  const names = definition.columnNames;
  const readRound = (isPreserved: readonly boolean[]) => {
    const outputs = first.columns.map((column, index): OutputColumn => {
      const own = names?.[index] ?? column.name;
      const traits = { ...PLAIN_TRAITS, letters: isPreserved[index] ? 'preserved' : 'mixed' } as const;
      return { ...columns.add(column.type, traits, own), name: own, constant: null };
    });
    const itself: VisibleTable = {
      definition: { ...definition, columnNames: null },
      ...{ visible, shared: null, useCount: 1, working: { recursion, columns: outputs } },
    };
    const round = bind(queryOf(body.right), new Map([...visible, [name, itself]]), true);
    if (round.columns.length === outputs.length) return { outputs, round };
    const what = `both parts of ${quoted(definition.name)} need the same number of columns`;
    throw sqlError(`${what}, not ${outputs.length} and ${round.columns.length}`, body.position);
  };
  // A column preserves case if one of the parts does. The recursive part reads the columns, so it is bound until they agree.
  const preserves = ({ column }: OutputColumn): boolean => columns.traits(column).letters === 'preserved';
  let isPreserved = first.columns.map(preserves);
  let { outputs, round } = readRound(isPreserved);
  while (round.columns.some((column, index) => preserves(column) && !isPreserved[index])) {
    isPreserved = isPreserved.map((is, index) => is || preserves(round.columns[index]));
    ({ outputs, round } = readRound(isPreserved));
  }
  const casts = round.columns.map((column, index) => {
    const of = column.constant ?? readColumn(column);
    const to = outputs[index].type;
    return {
      column: columns.add(to, PLAIN_TRAITS, '').column,
      of: castRound(of, to, outputs[index].name, body),
    };
  });
  const build = (): Relation => {
    const rounds = round.build();
    refuseAggregates(rounds, recursion, definition.position);
    return {
      op: 'recursive',
      recursion,
      all: body.all,
      left: first.build(),
      right: { op: 'project', input: rounds, columns: casts },
      columns: outputs.map(({ column, type }, index) => ({
        ...{ column, type },
        ...{ left: first.columns[index].column, right: casts[index].column },
      })),
    };
  };
  return { build, columns: outputs };
}

type Union = Extract<QueryBody, { readonly is: 'set' }>;

/** Throws 6000 for another form. */
function unionOf({ name, query, position }: CommonTable): Union {
  const { body } = query;
  const form = `WITH RECURSIVE ${name} AS (SELECT ... UNION ALL SELECT ... FROM ${name} ...)`;
  if (body.is !== 'set' || body.operator !== 'union') {
    throw sqlError(`a table that reads itself has the form ${form}`, position);
  }
  if ((tableUses(queryOf(body.left)).get(lowerCase(name)) ?? 0) > 0) {
    throw sqlError(
      `only the part after the last UNION may read ${quoted(name)}: ${form}`,
      body.left.position,
    );
  }
  if (query.orderBy.length > 0 || query.limit !== null || query.offset > 0) {
    throw sqlError(
      `ORDER BY, LIMIT and OFFSET belong to the SELECT that reads ${quoted(name)}, not to its recursive query`,
      query.orderBy[0]?.of.position ?? query.limit?.position ?? position,
    );
  }
  return body;
}

function queryOf(body: QueryBody): Query {
  if (body.is === 'nested') return body.query;
  const { position } = body;
  return { position, tables: [], body, orderBy: [], limit: null, withTies: false, offset: 0 };
}

function castRound(
  of: Parameters<typeof castTo>[0],
  to: RelationColumn['type'],
  name: string,
  { position, right }: Union,
): ReturnType<typeof castTo> {
  if (sameType(of.type, to)) return of;
  try {
    return castTo(of, to, right.position);
  } catch {
    const [own, first] = [typeName(of.type), typeName(to)];
    const what = `column ${quoted(name)} is ${first} in the first part and ${own} in the recursive part`;
    throw sqlError(`${what}; CAST one of them to the other's type`, position);
  }
}

/** Throws 6000 for an aggregate over the rows of the previous round. */
function refuseAggregates(relation: Relation, recursion: number, position: SourcePosition): boolean {
  const reads = relationInputs(relation).map((input) => refuseAggregates(input, recursion, position));
  const isRead = reads.includes(true) || (relation.op === 'working' && relation.recursion === recursion);
  if (isRead && relation.op === 'aggregate' && relation.aggregates.length > 0) {
    throw sqlError(
      'the recursive part of WITH RECURSIVE cannot have aggregates of its own rows; aggregate in the SELECT that reads it',
      position,
    );
  }
  return isRead;
}
