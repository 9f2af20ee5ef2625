/**
 * Converts the constants of conditions to exact bounds on stored values: 1.23 compared with a column of one decimal place, or a
 * number beyond 64 bits, is not an error but lies between or outside all stored values.
 */

import { type BindingTime, quoted } from '../../../base/index.js';
import { type Bound, type Constant, exactly, instantBound, numberBound } from '../../../ir/index.js';
import {
  baseTypeOf,
  type Column,
  formatDecimal,
  SECONDS_PER_DAY,
  valueKindOf,
} from '../../../schema/index.js';
import { scaleOf } from '../../../vector/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition, SqlNode } from '../../tree.js';
import type { Sources } from '../clauses/sources.js';
import { readBeside } from '../expressions/literals.js';
import { bindCondition, bindScalar } from '../expressions/scalar.js';
import { itemTypeOf, typeName } from '../expressions/types.js';
import { isAggregate } from '../functions/aggregate-functions.js';
import { RANDOM_NAMES } from '../functions/random.js';
import { nodesOf } from '../nodes.js';
import type { Scope } from '../scope.js';

export type Operand =
  /** The number in JSON syntax. */
  | { readonly is: 'number'; readonly text: string }
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'boolean'; readonly value: boolean }
  /** Seconds since 1970-01-01. */
  | { readonly is: 'instant'; readonly seconds: number }
  | { readonly is: 'null' };

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/;

/** Longer texts are never numbers. */
const NUMBER_CHARS_MAX = 400;

/**
 * Converts a number to JSON syntax, optionally negated; a number with an exponent is a float and is written with its shortest
 * digits. null if the text is not a number or exceeds the range of floats.
 */
function jsonNumber(text: string, negated: boolean): string | null {
  const match = NUMBER.exec(text);
  if (match === null) return null;
  const [, sign, whole, fraction = '', exponent = ''] = match;
  if (whole === '' && fraction === '') return null;
  const minus = (sign === '-') !== negated ? '-' : '';
  if (exponent !== '') {
    const float = Number(`${minus}${whole}.${fraction}${exponent}`);
    return Number.isFinite(float) ? String(float) : null;
  }
  return `${minus}${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Returns the constant value of a node; null if it depends on a row or is not known yet. Throws 6000. */
export function operandOf(node: SqlNode, sources: Sources, nowMs: BindingTime): Operand | null {
  switch (node.is) {
    case 'null':
      return { is: 'null' };
    case 'boolean':
      return { is: 'boolean', value: node.value };
    case 'string':
      if (node.quotes === 'double' && sources.lookUp(node) !== null) return null;
      return { is: 'text', text: node.text };
    case 'number':
      return numberOperand(node.text, false);
    case 'negative':
      if (node.of.is === 'number') return numberOperand(node.of.text, true);
      break;
    case 'column':
    case 'star':
      return null;
  }
  if (readsRows(node, sources)) return null;
  const constant = sources.constant(bindScalar(node, constantScope(nowMs)));
  return constant === null ? null : constantOperand(constant);
}

function numberOperand(text: string, negated: boolean): Operand | null {
  const number = jsonNumber(text, negated);
  return number === null ? null : { is: 'number', text: number };
}

/** Returns the value of a condition without columns; undefined if it is not known yet. Throws 6000. */
export function truthOf(node: SqlNode, sources: Sources, nowMs: BindingTime): boolean | null | undefined {
  if (readsRows(node, sources)) return undefined;
  const bound = bindCondition(node, constantScope(nowMs));
  const constant = sources.constant(bound);
  if (constant !== null) return constant.value === null ? null : constant.value === true;
  if (bound.op !== 'compare' || bound.left.op !== 'constant' || bound.right.op !== 'constant')
    return undefined;
  const [left, right] = [bound.left.value, bound.right.value];
  if (left === null || right === null) return null;
  switch (bound.comparison) {
    case '=':
      return left === right;
    case '<>':
      return left !== right;
    default:
      return undefined;
  }
}

/** Whether the node contains a column or anything else that is not constant. */
function readsRows(node: SqlNode, sources: Sources): boolean {
  for (const part of nodesOf(node)) {
    if (part.is === 'column' || part.is === 'star' || isAggregate(part)) return true;
    if (part.is === 'call' && RANDOM_NAMES.includes(part.name)) return true;
    if (part.is === 'string' && part.quotes === 'double' && sources.lookUp(part) !== null) return true;
  }
  return false;
}

/** The scope of expressions without columns. */
export function constantScope(nowMs: BindingTime): Scope {
  const none = (node: { readonly position: SourcePosition }): never => {
    throw sqlError('only constants are allowed here', node.position);
  };
  return {
    column: none,
    string: () => null,
    call: (node) => (node.name === 'interval' ? none(node) : null),
    query: none,
    traits: () => ({ points: false, letters: 'mixed' }),
    nowMs,
  };
}

function constantOperand({ value, type }: Constant): Operand | null {
  if (value === null) return { is: 'null' };
  if (typeof value === 'boolean') return { is: 'boolean', value };
  if (typeof value === 'number') return numberOperand(String(value), false);
  if (typeof value === 'string') return type.type === 'text' ? { is: 'text', text: value } : null;
  if (type.type === 'date') return { is: 'instant', seconds: Number(value) * SECONDS_PER_DAY };
  if (type.type === 'datetime') return { is: 'instant', seconds: Number(value) };
  return { is: 'number', text: formatDecimal(value, scaleOf(type)) };
}

/** Whether values of the column are tested as 64-bit integers. */
export function isOrdered({ type }: Column): boolean {
  const kind = valueKindOf(type);
  return type !== 'unique-id' && kind !== 'code' && kind !== 'geo';
}

/** The bound for an operand other than NULL among the column's values; null if the types are incompatible. Throws 6000. */
export function boundOf(operand: Operand, column: Column, position: SourcePosition): Bound | null {
  switch (baseTypeOf(column.type)) {
    case 'boolean':
      return truthBound(operand, position);
    case 'date':
      return dateBound(operand, SECONDS_PER_DAY, position);
    case 'datetime':
      return dateBound(operand, 1, position);
    default:
      return digitsBound(operand, column, position);
  }
}

/** The seconds since 1970-01-01 for an operand other than NULL; null if it is not an instant. Throws 6000. */
export function secondsOf(operand: Operand, position: SourcePosition): number | null {
  if (operand.is === 'instant') return operand.seconds;
  if (operand.is !== 'text') return null;
  const read = readBeside(operand.text, { type: 'datetime' });
  if (read === null) throw sqlError(`${quoted(operand.text)} is not a date`, position);
  return Number(read.value) * (read.type.type === 'date' ? SECONDS_PER_DAY : 1);
}

function dateBound(operand: Operand, secondsPerValue: number, position: SourcePosition): Bound | null {
  const seconds = secondsOf(operand, position);
  return seconds === null ? null : instantBound(seconds, secondsPerValue);
}

function truthBound(operand: Operand, position: SourcePosition): Bound | null {
  if (operand.is === 'number' && /^[01]$/.test(operand.text)) return exactly(BigInt(operand.text));
  if (operand.is === 'boolean') return exactly(operand.value ? 1n : 0n);
  if (operand.is !== 'text') return null;
  const read = readBeside(operand.text, { type: 'boolean' });
  if (read === null) throw sqlError(`${quoted(operand.text)} is neither true nor false`, position);
  return exactly(read.value === true ? 1n : 0n);
}

function digitsBound(operand: Operand, column: Column, position: SourcePosition): Bound | null {
  if (operand.is !== 'number' && operand.is !== 'text') return null;
  const short = operand.is === 'number' || operand.text.length <= NUMBER_CHARS_MAX;
  const text = operand.is === 'number' ? operand.text : short ? jsonNumber(operand.text.trim(), false) : null;
  const bound = text === null ? null : numberBound(text, column.decimalPlaces ?? 0);
  if (bound !== null) return bound;
  const expected = typeName(itemTypeOf(column));
  throw sqlError(`${quoted(operand.text)} cannot be read as ${expected}`, position);
}
