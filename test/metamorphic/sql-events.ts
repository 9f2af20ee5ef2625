/** Conditions on events in generated SQL, with Quarry's three-valued logic: unknown for an entity without any event. */
import type { Prng } from '../../src/base/index.js';
import { BOOLEAN, DATETIME, forms, type Piece, piece, print } from '../support/sql/sql-piece.js';
import type { EventColumn } from '../support/sql/sql-world.js';
import { literal } from './sql-literals.js';
import type { Source } from './sql-source.js';
import { COMPARISONS, Values } from './sql-values.js';

/** A test of one event: of its value, and of its date. */
export interface EventTests {
  readonly quarry: readonly string[];
  readonly duck: readonly string[];
  readonly lite: readonly (string | null)[];
}

/** `windowOnly`: only tests of the date. */
export function eventTests(prng: Prng, { name, kind }: EventColumn, windowOnly = false): EventTests {
  const value = piece(kind, forms(`[${name}.value]`, 'e.value', 'e.value'));
  const date = piece(DATETIME, forms(`[${name}.date]`, 'e.date', 'e.date'));
  const values = new Values(prng, []);
  const tests: Piece[] = [];
  const constant = (of: Piece): Piece => literal(prng, of);
  // Events' texts have no order in conditions of the interface.
  const operators = kind.type === 'text' ? ['=', '<>'] : COMPARISONS;
  const comparison = (): Piece => values.compare([value, constant(value)], operators);
  if (!windowOnly) {
    const draw = prng.below(4);
    if (draw === 0) tests.push(values.in(value));
    else if (draw === 1 && kind.type === 'text') tests.push(values.like(value));
    else if (draw === 2) tests.push(comparison(), comparison());
    else tests.push(comparison());
  }
  if (windowOnly || prng.chance(0.5)) {
    if (prng.chance(0.4)) {
      const bounds = [constant(date), constant(date)];
      const form = '($0 BETWEEN $1 AND $2)';
      tests.push(piece(BOOLEAN, forms(form, form, form), [date, ...bounds]));
    } else {
      const operator = prng.pick(['>=', '<=', '>', '<']);
      const form = `($0 ${operator} $1)`;
      tests.push(piece(BOOLEAN, forms(form, form, form), [date, constant(date)]));
    }
  }
  const printed = tests.map(print);
  return {
    // Without parentheses, so that all of them apply to the same event.
    quarry: printed.map(({ quarry }) => quarry.slice(1, -1)),
    duck: printed.map(({ duck }) => duck),
    lite: printed.map(({ lite }) => lite),
  };
}

/** A parenthesized condition: the entity has such an event. */
export function eventCondition(prng: Prng, { table }: Source): Piece {
  const event = prng.pick(table.events);
  const from = `"${table.name}_${event.name}" e WHERE e.id = f."entity-id"`;
  const any = `EXISTS (SELECT 1 FROM ${from})`;
  if (prng.chance(0.12)) {
    const not = prng.chance(0.5);
    const form = not ? any : `(NOT ${any})`;
    return piece(BOOLEAN, forms(`([${event.name}.value] IS ${not ? 'NOT ' : ''}NULL)`, form, form));
  }
  const tests = eventTests(prng, event);
  const say = (members: readonly string[]): string =>
    `(CASE WHEN ${any} THEN EXISTS (SELECT 1 FROM ${from} AND ${members.join(' AND ')}) END)`;
  const lite = tests.lite.some((test) => test === null) ? null : say(tests.lite as string[]);
  return piece(BOOLEAN, forms(`(${tests.quarry.join(' AND ')})`, say(tests.duck), lite));
}
