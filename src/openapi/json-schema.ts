/**
 * Converts the interface's schemas to JSON Schema 2020-12, as OpenAPI 3.1 uses it: without the parts that only the reader of
 * requests needs, and with a reference in place of each named schema.
 */
import type { Schema } from '../interface/index.js';

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The named schemas in the order of their first use. */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  /** The schema as the document contains it. */
  jsonOf(schema: Schema): JsonSchema {
    const { component } = schema;
    if (component === undefined) return this.#inline(schema);
    if (!this.#schemas.has(component)) {
      this.#schemas.set(component, {});
      this.#schemas.set(component, this.#inline(schema));
    }
    return { $ref: `#/components/schemas/${component}` };
  }

  all(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(this.#schemas);
  }

  #inline(schema: Schema): JsonSchema {
    const { component: _, optional: __, reader: ___, codes: ____, of, ...keywords } = schema;
    const isDescription = of !== undefined && keywords.type === undefined && keywords.anyOf === undefined;
    const json = Object.entries(keywords)
      .filter(([, value]) => value !== undefined)
      .map(([keyword, value]) => [keyword, this.#valueOf(keyword, value)]);
    return { ...(isDescription ? this.jsonOf(of) : {}), ...Object.fromEntries(json) };
  }

  #valueOf(keyword: string, value: unknown): unknown {
    switch (keyword) {
      case 'items':
      case 'additionalProperties':
        return typeof value === 'object' && value !== null ? this.jsonOf(value as Schema) : value;
      case 'anyOf':
        return (value as readonly Schema[]).map((schema) => this.jsonOf(schema));
      case 'properties': {
        const entries = Object.entries(value as Readonly<Record<string, Schema>>);
        return Object.fromEntries(entries.map(([name, schema]) => [name, this.jsonOf(schema)]));
      }
      default:
        return value;
    }
  }
}
