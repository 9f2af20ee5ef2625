/**
 * Entities with attributes -> insert bodies of at most ENTITIES_PER_INSERT_MAX entities.
 * Rule: a value that is missing in the file is omitted, never written as an empty value.
 */
import { ENTITIES_PER_INSERT_MAX } from '../../base/index.js';
import type { InsertBody } from './model.js';

export type AttributeValue = string | number | boolean | readonly string[] | readonly [number, number];

export interface Entity {
  readonly id: string;
  /** Column api-name -> value; null = missing in the file. */
  readonly values: Readonly<Record<string, AttributeValue | null>>;
}

/** Number of values as the interface counts them: one per item of a list, one for a geolocation. */
function countValues(value: AttributeValue): number {
  return Array.isArray(value) && typeof value[0] !== 'number' ? value.length : 1;
}

/** Bodies of at most 1,000 entities of `dimension` each, in the given order. */
export function* entityBodies(dimension: string, entities: readonly Entity[]): Generator<InsertBody> {
  for (let from = 0; from < entities.length; from += ENTITIES_PER_INSERT_MAX) {
    const part = entities.slice(from, from + ENTITIES_PER_INSERT_MAX);
    let valueCount = 0;
    const members = part.map((entity) => {
      const present = Object.entries(entity.values).filter(([, value]) => value !== null);
      for (const [, value] of present) valueCount += countValues(value as AttributeValue);
      return [entity.id, { dimension, ...Object.fromEntries(present) }] as const;
    });
    const bytes = new TextEncoder().encode(JSON.stringify(Object.fromEntries(members)));
    yield { bytes, entityCount: part.length, valueCount, rowCount: part.length };
  }
}
