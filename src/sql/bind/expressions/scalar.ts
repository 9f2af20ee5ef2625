/** Binds scalar expressions; aggregates are resolved by the scope. */
import { BOOLEAN, type Expression, TEXT } from '../../../ir/index.js';
import { IN_SEGMENT } from '../../in-segment.js';
import { sqlError } from '../../sql-error.js';
import type { SqlNode } from '../../tree.js';
import type { Binder } from '../binder.js';
import { bindFunction } from '../functions/functions.js';
import { refuseUnbounded } from '../measure.js';
import { allMembersOf } from '../nodes.js';
import type { NodeOf, Scope } from '../scope.js';
import { bindArithmetic, bindNegative } from './arithmetic.js';
import { constantOf, isNull, junctionOf, NULL } from './build.js';
import { bindCast } from './cast.js';
import { bindCase } from './choice.js';
import { bindBetween, bindCompare } from './compare.js';
import { bindIn } from './in-list.js';
import { bindInterval } from './interval-arithmetic.js';
import { bindLike } from './like.js';
import { numberLiteral } from './literals.js';
import { typeName } from './types.js';

/** Where a condition on a segment selects rows of one table. */
const SEGMENT_USE =
  'IN SEGMENT is a condition in WHERE or ON, on one table; combine it by OR only with conditions on that table';

/**
 * Binds an expression, whose value is a list or a point only if `node` is such a column. Throws 6000 with the source
 * position.
 */
export function bindScalar(node: SqlNode, scope: Scope): Expression {
  refuseUnbounded(node);
  return new ScalarBinder(scope).bind(node);
}

/** Binds a condition, which is true, false or missing. Throws 6000. */
export function bindCondition(node: SqlNode, scope: Scope): Expression {
  refuseUnbounded(node);
  return new ScalarBinder(scope).condition(node);
}

class ScalarBinder implements Binder {
  readonly scope: Scope;

  constructor(scope: Scope) {
    this.scope = scope;
  }

  value(node: SqlNode): Expression {
    const bound = this.bind(node);
    if (bound.type.type !== 'json') return bound;
    this.#refusePoints(bound, node);
    throw sqlError('a list of values can only be selected or tested with IS NULL', node.position);
  }

  condition(node: SqlNode): Expression {
    const bound = this.value(node);
    if (bound.type.type === 'boolean') return bound;
    if (isNull(bound)) return constantOf(BOOLEAN, null);
    const type = typeName(bound.type);
    throw sqlError(`a condition, which is true or false, is required here, not ${type}`, node.position);
  }

  /** Recursive; the depth was checked before. */
  bind(node: SqlNode): Expression {
    switch (node.is) {
      case 'number':
        return numberLiteral(node.text, node.position);
      case 'string': {
        const column = node.quotes === 'double' ? this.scope.string(node) : null;
        return column ?? constantOf(TEXT, node.text);
      }
      case 'boolean':
        return constantOf(BOOLEAN, node.value);
      case 'null':
        return NULL;
      case 'interval':
        return bindInterval(node);
      case 'column':
        return this.scope.column(node);
      case 'star':
        throw sqlError('* is allowed only as a column of SELECT and in COUNT(*)', node.position);
      case 'negative':
        return bindNegative(node, this);
      case 'not':
        return { op: 'not', type: BOOLEAN, member: this.condition(node.of) };
      case 'and':
      case 'or':
        return this.#junction(node);
      case 'compare':
        return bindCompare(node, this);
      case 'arithmetic':
        return bindArithmetic(node, this);
      case 'between':
        return bindBetween(node, this);
      case 'in':
        return bindIn(node, this);
      case 'like':
        return bindLike(node, this);
      case 'is-null':
        return this.#isNull(node);
      case 'case':
        return bindCase(node, this);
      case 'cast':
        return bindCast(node, this);
      case 'call':
        if (node.name === IN_SEGMENT) throw sqlError(SEGMENT_USE, node.position);
        return this.scope.call(node) ?? bindFunction(node, this);
      default:
        return this.scope.query(node);
    }
  }

  /** Binds A OR B OR C of any length and nesting as one list. */
  #junction(node: NodeOf<'and' | 'or'>): Expression {
    const members = allMembersOf(node, node.is).map((member) => this.condition(member));
    return junctionOf(node.is, members);
  }

  #isNull({ of, negated }: NodeOf<'is-null'>): Expression {
    const bound = this.bind(of);
    this.#refusePoints(bound, of);
    return { op: 'is-null', type: BOOLEAN, of: bound, negated };
  }

  #refusePoints(bound: Expression, node: SqlNode): void {
    const points =
      bound.type.type === 'json' && bound.op === 'input' && this.scope.traits(bound.input).points;
    if (points) throw sqlError('geolocation queries are not available through SQL', node.position);
  }
}
