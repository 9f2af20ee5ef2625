/**
 * Pieces of JSON Schema 2020-12, as OpenAPI 3.1 holds them.
 * Invariant: an object's fields are those of a list that the readers of bodies have too (KNOWN_FIELDS): one that is missing
 * here, or that they do not know, does not compile.
 */

export interface Schema {
  readonly [keyword: string]: unknown;
}

/** Where components refer to one another. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const text = (description: string, more: Schema = {}): Schema => ({
  type: 'string',
  description,
  ...more,
});
export const flag = (description: string): Schema => ({ type: 'boolean', description });
export const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description });
export const wholeNumber = (description: string, minimum: number, maximum?: number): Schema => ({
  type: 'integer',
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
  description,
});
export const oneOfTexts = (choices: readonly string[], description: string): Schema => ({
  type: 'string',
  enum: choices,
  description,
});
export const listOf = (items: Schema, description: string, more: Schema = {}): Schema => ({
  type: 'array',
  items,
  description,
  ...more,
});
/** An object whose members have names of the client's own. */
export const mapOf = (values: Schema, description: string, more: Schema = {}): Schema => ({
  type: 'object',
  additionalProperties: values,
  description,
  ...more,
});
export const anyOf = (description: string, ...choices: readonly Schema[]): Schema => ({
  description,
  anyOf: choices,
});

/** The same, or null, which counts as absent. */
export function orNull(schema: Schema): Schema {
  const { type, enum: choices, description, ...rest } = schema;
  if (typeof type !== 'string') return { description, anyOf: [{ type: 'null' }, schema] };
  const alsoNull = Array.isArray(choices) ? { enum: [...choices, null] } : {};
  return { type: [type, 'null'], description, ...rest, ...alsoNull };
}

/** An object with just the fields `known`. */
export function fieldsOf<Field extends string>(
  known: readonly Field[],
  properties: Readonly<Record<NoInfer<Field>, Schema>>,
  required: readonly NoInfer<Field>[],
  more: Schema = {},
): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(known.map((field) => [field, properties[field]])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...more,
  };
}

/** An object of an answer: all of its members are there, save `optional`. */
export function membersOf(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
  more: Schema = {},
): Schema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
    ...more,
  };
}

/** The whole answer of a request that succeeded. */
export function success(
  members: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
  more: Schema = {},
): Schema {
  const whole = {
    status: { const: 'success' },
    ...members,
    took: { type: 'number', minimum: 0, description: 'Seconds that the request took.' },
  };
  return membersOf(whole, optional, more);
}
