/** Relations and stages as lines of text, one per operator, indented below the operator that reads it. */
import {
  columnsOf,
  type Expression,
  type Input,
  type Relation,
  type RelationColumn,
  type RelationOf,
  type RelationPlan,
  type RelationSortKey,
  relationInputs,
  type SelectPlan,
  type Stage,
} from '../../ir/index.js';
import { relationsIn } from '../relations/tree.js';
import { expressionText } from './expression-text.js';

/** Names of stored things, which plans contain as IDs. */
export interface StoredNames {
  dimension(dimensionId: number): string;
  column(dimensionId: number, columnId: number): string;
}

/** Returns the tree of the plan, after its tables. */
export function explainRelation(plan: RelationPlan, names: StoredNames): readonly string[] {
  const tables = plan.tables.flatMap((table, index) => {
    return [
      `table ${index}`,
      ...treeLines(table, columnNames(table, names), names).map((line) => `  ${line}`),
    ];
  });
  return [...tables, ...treeLines(plan.root, columnNames(plan.root, names), names)];
}

/** Returns each stage with its tree. */
export function explainStages(stages: readonly Stage[], names: StoredNames): readonly string[] {
  const known: StageNames[] = [];
  const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
  return stages.flatMap((stage, index) => {
    if (stage.runs === 'question') {
      known.push(stage.columns.map(() => null));
      return [`stage ${index} on all shards`, ...indented([`question: ${stage.question.kind}`])];
    }
    const location = stage.runs === 'select' || stage.location === 'shards' ? 'all shards' : 'one worker';
    const title = `stage ${index} on ${location}`;
    if (stage.runs === 'select') {
      known.push(stage.columns.map((_, output) => storedName(stage.plan, output, names)));
      return [title, ...indented([`select: ${selectDetail(stage.plan, names)}`])];
    }
    const root = stage.runs === 'operators' ? stage.root : stage.input;
    const columns = columnNames(root, names, known);
    if (stage.runs === 'operators') {
      known.push(stage.columns.map(({ column }) => columns.get(column) ?? null));
      return [title, ...indented(treeLines(root, columns, names))];
    }
    const { outputs, grouping } = stage.plan;
    known.push(
      outputs.map(({ of }) => {
        const key = of.op === 'input' ? grouping?.keys[of.input] : undefined;
        return key?.op === 'input' ? (columns.get(key.input) ?? null) : null;
      }),
    );
    const detail = groupDetail(stage.plan, (input) => columns.get(input) ?? `#${input}`);
    return [title, ...indented([`group: ${detail}`, ...indented(treeLines(root, columns, names))])];
  });
}

/** By column of a stage; null = a computed column. */
type StageNames = readonly (string | null)[];

function treeLines(root: Relation, columns: ColumnNames, names: StoredNames): string[] {
  const lines = (relation: Relation, depth: number): string[] => [
    `${'  '.repeat(depth)}${lineOf(relation, columns, names)}`,
    ...relationInputs(relation).flatMap((input) => lines(input, depth + 1)),
  ];
  return lines(root, 0);
}

type ColumnNames = ReadonlyMap<number, string>;

/** Stored columns have their names; computed ones are `#` and the number. */
function columnNames(root: Relation, names: StoredNames, ofStages: readonly StageNames[] = []): ColumnNames {
  const found = new Map<number, string>();
  for (const relation of relationsIn(root)) {
    if (relation.op !== 'scan' && relation.op !== 'received') continue;
    relation.columns.forEach(({ column }, index) => {
      const name =
        relation.op === 'scan'
          ? storedName(relation.plan, index, names)
          : (ofStages[relation.stage]?.[index] ?? null);
      if (name !== null) found.set(column, name);
    });
  }
  // Projections that rename, from the leaves upwards.
  const visit = (relation: Relation): void => {
    relationInputs(relation).forEach(visit);
    if (relation.op !== 'project') return;
    for (const { column, of } of relation.columns) {
      const name = of.op === 'input' ? found.get(of.input) : undefined;
      if (name !== undefined && !found.has(column)) found.set(column, name);
    }
  };
  visit(root);
  return found;
}

function storedName(plan: SelectPlan, output: number, names: StoredNames): string | null {
  const { of } = plan.outputs[output];
  if (of.op !== 'input') return null;
  const key = plan.grouping === null ? of : plan.grouping.keys[of.input];
  return key?.op === 'input' ? inputName(plan, key.input, names) : null;
}

function inputName(plan: SelectPlan, input: number, names: StoredNames): string {
  const { dimensionId } = plan;
  const read: Input | undefined = plan.inputs[input];
  if (dimensionId === null || read === undefined) return `#${input}`;
  const table = names.dimension(dimensionId);
  switch (read.from) {
    case 'entity-id':
      return `${table}.entity-id`;
    case 'joined':
    case 'item':
    case 'condition':
    case 'written':
    case 'score':
    case 'rank':
    case 'nearest':
      return `${read.from} ${input}`;
    case 'event-date':
      return `${table}.${names.column(dimensionId, read.columnId)}.date`;
    default:
      return `${table}.${names.column(dimensionId, read.columnId)}`;
  }
}

function selectDetail(plan: SelectPlan, names: StoredNames): string {
  const nameOf = (input: number): string => inputName(plan, input, names);
  const parts = [plan.dimensionId === null ? 'one row' : names.dimension(plan.dimensionId)];
  if (plan.condition !== null) parts.push('by a condition');
  if (plan.filter !== null) parts.push(`where ${expressionText(plan.filter, nameOf)}`);
  if (plan.events !== null) parts.push('a row per event');
  if (plan.joins.length > 0) parts.push(`with ${plan.joins.length} look-ups`);
  const ofGroups = groupDetail(plan, nameOf);
  return [...parts, ...(ofGroups === '' ? [] : [ofGroups])].join(', ');
}

/** The clauses from GROUP BY on. */
function groupDetail(plan: SelectPlan, nameOf: (input: number) => string): string {
  const { grouping, having, order, offset, limit } = plan;
  const parts: string[] = [];
  const text = (of: Expression): string => expressionText(of, nameOf);
  const keyCount = grouping?.keys.length ?? 0;
  const aggregates = grouping?.aggregates.map(({ function: name, of, distinct }) => {
    return `${name}(${distinct ? 'distinct ' : ''}${of === null ? '*' : text(of)})`;
  });
  const ofGroups = (input: number): string => {
    if (grouping === null) return nameOf(input);
    return input < keyCount ? text(grouping.keys[input]) : (aggregates?.[input - keyCount] ?? `#${input}`);
  };
  if (grouping !== null) {
    if (keyCount > 0) parts.push(`by ${grouping.keys.map(text).join(', ')}`);
    if (grouping.aggregates.length > 0) parts.push(`computing ${aggregates?.join(', ')}`);
  }
  if (having !== null) parts.push(`having ${expressionText(having, ofGroups)}`);
  const keys = order.map(
    ({ of, descending }) => `${expressionText(of, ofGroups)}${descending ? ' desc' : ''}`,
  );
  if (keys.length > 0) parts.push(`ordered by ${keys.join(', ')}`);
  return [...parts, ...limitParts(offset, limit)].join(', ');
}

function limitParts(offset: number, limit: number | null): string[] {
  return [...(limit === null ? [] : [`limit ${limit}`]), ...(offset === 0 ? [] : [`offset ${offset}`])];
}

function lineOf(relation: Relation, columns: ColumnNames, names: StoredNames): string {
  const nameOf = (column: number): string => columns.get(column) ?? `#${column}`;
  const list = (of: readonly RelationColumn[]): string => of.map(({ column }) => nameOf(column)).join(', ');
  switch (relation.op) {
    case 'scan':
      return `scan: ${selectDetail(relation.plan, names)}`;
    case 'shared':
      return `table ${relation.table}`;
    case 'received':
      return `rows of stage ${relation.stage}`;
    case 'values':
      return `values: ${relation.rows.length} rows`;
    case 'question':
      return `question: ${relation.question.kind}`;
    case 'series': {
      const [first, last, step] = [relation.first, relation.last, relation.step].map((of) =>
        expressionText(of, nameOf),
      );
      const months = relation.months === 0 ? '' : ` and ${relation.months} months`;
      return `series: ${nameOf(relation.value.column)} from ${first} to ${last} by ${step}${months}`;
    }
    case 'working':
      return 'rows of the previous round';
    case 'recursive':
      return `recursive union${relation.all ? ' all' : ''}: ${list(relation.columns)}`;
    case 'filter':
      return `filter: ${expressionText(relation.condition, nameOf)}`;
    case 'project': {
      const computed = relation.columns.filter(({ of }) => of.op !== 'input');
      return `project: ${list(columnsOf(relation))}${computed
        .map(({ column, of }) => `; ${nameOf(column)} = ${expressionText(of, nameOf)}`)
        .join('')}`;
    }
    case 'join':
      return joinLine(relation, nameOf);
    case 'aggregate': {
      const aggregates = relation.aggregates.map(({ function: name, of, distinct, column }) => {
        return `#${column} = ${name}(${distinct ? 'distinct ' : ''}${of === null ? '*' : nameOf(of.column)})`;
      });
      return `aggregate: ${[...(relation.keys.length === 0 ? [] : [`by ${list(relation.keys)}`]), ...aggregates].join(', ')}`;
    }
    case 'window': {
      const functions = relation.functions.map(
        ({ function: name, args, column }) => `#${column} = ${name}(${list(args)})`,
      );
      const parts = [functions.join(', ')];
      if (relation.partition.length > 0) parts.push(`partition by ${list(relation.partition)}`);
      if (relation.order.length > 0) parts.push(`order by ${sortText(relation.order, nameOf)}`);
      return `window: ${parts.join(', ')}`;
    }
    case 'sort': {
      const by = relation.keys.length === 0 ? [] : [`by ${sortText(relation.keys, nameOf)}`];
      return `sort: ${[...by, ...limitParts(relation.offset, relation.limit)].join(', ')}`;
    }
    case 'set':
      return `${relation.operator}${relation.all ? ' all' : ''}: ${list(relation.columns)}`;
  }
}

const sortText = (keys: readonly RelationSortKey[], nameOf: (column: number) => string): string =>
  keys
    .map(({ column, descending, missingFirst }) => {
      return `${nameOf(column)}${descending ? ' desc' : ''}${missingFirst ? ' nulls first' : ''}`;
    })
    .join(', ');

function joinLine(
  { kind, keys, condition, mark }: RelationOf<'join'>,
  nameOf: (column: number) => string,
): string {
  const on = keys.map(({ left, right, nullsEqual }) => {
    return `${nameOf(left)} ${nullsEqual ? 'is' : '='} ${nameOf(right)}`;
  });
  if (condition !== null) on.push(expressionText(condition, nameOf));
  const marks = mark === null ? '' : ` as #${mark}`;
  return `${kind} join${marks}: ${on.length === 0 ? 'all pairs' : on.join(' AND ')}`;
}
