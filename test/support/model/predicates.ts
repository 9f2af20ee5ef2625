/** Whether a present value satisfies predicates of a condition or of a level of an aggregation. */
import { ExactNumber, type Json, type JsonObject } from '../../../src/api/index.js';
import type { Point, Value } from './facts.js';
import { withinBox, withinRadius } from './geometry.js';
import { asList, asObject, asText, compareFractions, fraction, lower } from './json.js';
import { instant } from './time.js';

/** A predicate's name and its operand. */
export type Predicate = readonly [word: string, operand: Json];

/** Members that may be next to predicates without being predicates. */
const OTHERS = new Set(['between', 'minfreq', 'interval', 'geo_near', 'dimension', 'bypass-cache']);

export function predicatesOf(parameters: JsonObject): Predicate[] {
  return [...parameters].filter(([word]) => !OTHERS.has(word));
}

/** Whether one present value satisfies one predicate of a condition. */
export function holds(value: Value, word: string, operand: Json): boolean {
  if (word.startsWith('not-')) return !holds(value, word.slice('not-'.length), operand);
  switch (word) {
    case 'equals':
      return compare(value, operand) === 0;
    case 'in':
      return asList(operand).some((item) => compare(value, item) === 0);
    case 'gt':
      return compare(value, operand) > 0;
    case 'gte':
      return compare(value, operand) >= 0;
    case 'lt':
      return compare(value, operand) < 0;
    case 'lte':
      return compare(value, operand) <= 0;
    case 'range':
      return compare(value, asList(operand)[0]) >= 0 && compare(value, asList(operand)[1]) <= 0;
    case 'contains':
      return texts(operand).some((text) => asText(value).includes(text));
    case 'starts-with':
      return texts(operand).some((text) => asText(value).startsWith(text));
    case 'ends-with':
      return texts(operand).some((text) => asText(value).endsWith(text));
    case 'geo_radius':
      return withinRadius(value as Point, asObject(operand));
    case 'geo_bounding_box':
      return withinBox(value as Point, asObject(operand));
    default:
      throw new Error(`the model does not support the predicate ${word}`);
  }
}

/** In a level, predicates take lists: any operand may match; for a `not-` form none may. */
export function passesLevel(value: Value, predicates: readonly Predicate[]): boolean {
  return predicates.every(([word, operand]) => {
    const plain = word.replace(/^not-/, '');
    const isMany = Array.isArray(operand) && (plain !== 'range' || Array.isArray(operand[0]));
    const operands: readonly Json[] = isMany ? operand : [operand];
    const matches = operands.some((one) => holds(value, plain === 'in' ? 'equals' : plain, one));
    return matches !== word.startsWith('not-');
  });
}

/** Compares the stored value with an operand as written in the request: below 0, 0 or above 0. */
function compare(value: Value, operand: Json): number {
  if (typeof value === 'string') return value === lower(asText(operand)) ? 0 : 1;
  if (typeof value === 'boolean') return value === (operand === true || operand === 'true') ? 0 : 1;
  if ('seconds' in value) return value.seconds - instant(asText(operand));
  if (!('over' in value)) throw new Error('positions are not compared');
  return compareFractions(value, fraction(operand instanceof ExactNumber ? operand.text : asText(operand)));
}

const texts = (operand: Json): string[] =>
  (Array.isArray(operand) ? operand : [operand]).map((item) => lower(asText(item)));
