/**
 * Reads EVENTs of questions about behaviour and collects their columns: `{column: {predicate: value}}`, or a list of such
 * alternatives. Columns of one alternative are tied by a relation.
 */
import { QuarryError, quoted } from '../../base/index.js';
import { behaviourEvent } from '../../interface/index.js';
import type { BehaviourEvent, EventColumnTest, ValueColumn } from '../../ir/index.js';
import { type Column, type Dimension, isEventType, type Relation } from '../../schema/index.js';
import { readAll } from '../body/fields.js';
import { isList, isObject, type Json, kindOf } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import type { ColumnCheck } from '../condition/column-check.js';
import { bindPredicates } from '../condition/predicate.js';

/** Alternatives of one EVENT. */
const ALTERNATIVES_MAX = 100;

const wrong = (path: string, text: string): QuarryError => new QuarryError(9101, `${path} ${text}`);

/** Binds events of one dimension, and notes the columns that they name. */
export class EventBinder {
  readonly dimension: Dimension;
  readonly #checkColumn: ColumnCheck;
  readonly #columns = new Map<number, Column>();

  constructor(dimension: Dimension, checkColumn: ColumnCheck) {
    this.dimension = dimension;
    this.#checkColumn = checkColumn;
  }

  /** The event. Throws 9101, 9102, 4008, 4040, 506 and the errors of predicates. */
  event(json: Json | undefined, path: string): BehaviourEvent {
    const alternatives = isList(json) ? json : [json];
    if (alternatives.length === 0) throw wrong(path, 'is an empty list');
    if (alternatives.length > ALTERNATIVES_MAX) {
      throw wrong(path, `has ${alternatives.length} alternatives; at most ${ALTERNATIVES_MAX}`);
    }
    return alternatives.map((one, index) =>
      this.#alternative(one, isList(json) ? `${path}[${index}]` : path),
    );
  }

  /** The event of an object with the fields `event` and `name`. */
  eventObject(json: Json, path: string): BehaviourEvent {
    const body = RequestBody.of(behaviourEvent, json, path, 'path');
    return body.read(
      () =>
        readAll({
          event: () => this.event(body.get('event') as Json, `${path}.event`),
          name: () => body.get('name'),
        }).event,
    );
  }

  #alternative(json: Json | undefined, path: string): readonly EventColumnTest[] {
    if (!isObject(json)) throw wrong(path, `must be an object of columns, not ${kindOf(json)}`);
    if (json.size === 0) throw wrong(path, 'has no column');
    const columns = [...json].map(([name, predicates]) => {
      const column = this.eventColumn(name, path);
      return { column, test: this.#test(column, predicates, `${path}.${name}`) };
    });
    const [first] = columns;
    for (const { column } of columns.slice(1)) {
      if (this.areTied(first.column, column)) continue;
      const pair = `${quoted(first.column.apiName)} and ${quoted(column.apiName)}`;
      throw new QuarryError(9102, `${path}: the columns ${pair} are not of one relation`);
    }
    return columns.map(({ test }) => test);
  }

  #test(column: Column, json: Json, path: string): EventColumnTest {
    if (!isObject(json)) throw wrong(path, `must be an object of predicates, not ${kindOf(json)}`);
    for (const name of ['between', 'minfreq']) {
      if (json.has(name)) throw wrong(`${path}.${name}`, 'cannot be used in an event');
    }
    if (json.size === 0) return { columnId: column.id, tests: [] };
    const predicates = [...json].map(([name, argument]) => ({ name, argument, path: `${path}.${name}` }));
    const { tests, betweens } = bindPredicates(predicates, column);
    if (betweens.length > 0) throw wrong(betweens[0].path, 'cannot be used in an event');
    return { columnId: column.id, tests };
  }

  /** The active event column that the caller may use. Throws 4008, 506, 4040. */
  eventColumn(name: string, path: string): Column {
    const column = this.column(name, path);
    if (!isEventType(column.type)) {
      throw new QuarryError(4040, `${path}: ${quoted(name)} is not an event column`);
    }
    this.#columns.set(column.id, column);
    return column;
  }

  /** The active column that the caller may use. Throws 4008, 506. */
  column(name: string, path: string): Column {
    const column = this.dimension.columns.get(name);
    if (column === undefined || !column.active) {
      throw new QuarryError(4008, `${path}: column ${quoted(name)} is inactive or does not exist`);
    }
    this.#checkColumn(this.dimension, column);
    return column;
  }

  areTied(a: Column, b: Column): boolean {
    return a === b || this.#relationOf(a.id)?.columnIds.includes(b.id) === true;
  }

  #relationOf(columnId: number): Relation | undefined {
    return [...this.dimension.relations.values()].find(({ columnIds }) => columnIds.includes(columnId));
  }

  /** Whether two of the columns named so far are tied. */
  get isTied(): boolean {
    const relations = [...this.#columns.keys()].flatMap((id) => this.#relationOf(id) ?? []);
    return new Set(relations).size < relations.length;
  }

  /** Columns of an event, by their first alternatives. */
  columnsOf(event: BehaviourEvent): readonly Column[] {
    const ids = new Set(event.map(([{ columnId }]) => columnId));
    return [...this.#columns.values()].filter(({ id }) => ids.has(id));
  }
}

export const valueColumnOf = ({ id, type, decimalPlaces }: Column): ValueColumn => ({
  columnId: id,
  type,
  decimalPlaces,
});
