/** Creates the operators of a stage from its relation. */
import { invariant } from '../../../base/index.js';
import { firstRowsOf, type Relation, type RelationOf } from '../../../ir/index.js';
import type { RowsPart } from '../../../protocol/index.js';
import { joinRows } from '../../join/join.js';
import type { QueryRun } from '../../query-run.js';
import { distinctRows } from '../../set/distinct.js';
import { recursiveRows, type WorkingRows, workingRows } from '../../set/recursive.js';
import { setRows } from '../../set/set.js';
import { sortRows } from '../../sort/sort-rows.js';
import { windowRows } from '../../window/window-rows.js';
import { filterRows } from '../filter.js';
import type { Operator } from '../operator.js';
import { projectRows } from '../project.js';
import { receivedRows } from '../received.js';
import { seriesRows } from '../series.js';
import { valuesRows } from '../values.js';

/** The inputs of the leaves of a relation. */
export interface OperatorSources {
  readonly run: QueryRun;
  readonly scan: (relation: RelationOf<'scan'>) => Operator;
  readonly received: (stage: number) => readonly RowsPart[];
  /** By number of the surrounding recursive relation: the rows of the previous round. */
  readonly working: ReadonlyMap<number, WorkingRows>;
  /** Wraps an operator to measure it; null = nothing is measured. */
  readonly measured: ((relation: Relation, operator: Operator) => Operator) | null;
}

/** Throws 9004 if rows of an earlier stage are missing. The caller releases the operator. */
export function createOperator(relation: Relation, sources: OperatorSources): Operator {
  const operator = operatorOf(relation, sources);
  return sources.measured === null ? operator : sources.measured(relation, operator);
}

function operatorOf(relation: Relation, sources: OperatorSources): Operator {
  const { run } = sources;
  const of = (input: Relation): Operator => createOperator(input, sources);
  switch (relation.op) {
    case 'scan':
      return sources.scan(relation);
    case 'received':
      return receivedRows(relation.columns, sources.received(relation.stage), run);
    case 'values':
      return valuesRows(relation, run);
    case 'question':
      invariant(false, 'a question about behaviour is a stage of its own');
      break;
    case 'filter':
      return filterRows(filterInput(relation, sources), relation, run);
    case 'project':
      return projectRows(of(relation.input), relation, run);
    case 'series':
      return seriesRows(of(relation.input), relation, run);
    case 'recursive': {
      const rounds = (rows: WorkingRows): Operator =>
        createOperator(relation.right, {
          ...sources,
          measured: null,
          working: new Map([...sources.working, [relation.recursion, rows]]),
        });
      return recursiveRows(of(relation.left), rounds, relation, run);
    }
    case 'working': {
      const rows = sources.working.get(relation.recursion);
      invariant(rows !== undefined, 'the rows of a round are read within its recursive relation');
      return workingRows(relation.columns, rows);
    }
    case 'aggregate':
      invariant(relation.aggregates.length === 0, 'aggregates are not a part of a stage');
      return distinctRows(of(relation.input), relation, run);
    case 'set':
      return setRows(of(relation.left), of(relation.right), relation, run);
    case 'join':
      return joinRows(of(relation.left), of(relation.right), relation, run);
    case 'sort':
      return sortRows(of(relation.input), relation, run);
    case 'window':
      return windowRows(of(relation.input), relation, run);
    case 'shared':
      invariant(false, `${relation.op} is not a part of a stage`);
  }
}

/** The input of a filter; a window below it drops rows that do not pass before it sorts the others. */
function filterInput(filter: RelationOf<'filter'>, sources: OperatorSources): Operator {
  const { input } = filter;
  const first = firstRowsOf(filter);
  if (input.op !== 'window' || first === null) return createOperator(input, sources);
  const { run, measured } = sources;
  const operator = windowRows(createOperator(input.input, sources), input, run, first);
  return measured === null ? operator : measured(input, operator);
}
