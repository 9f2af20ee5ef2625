/** Describes a schema in words and as a table of its fields. */
import type { JsonSchema } from '../json-schema.js';
import { type Html, html, prose } from './html.js';

const asSchemas = (value: unknown): readonly JsonSchema[] => (Array.isArray(value) ? value : []);

export const nameIn = ({ $ref }: JsonSchema): string | null =>
  typeof $ref === 'string' ? ($ref.split('/').pop() ?? null) : null;

/** The kind of value in few words; names of components are links. */
export function schemaKindOf(schema: JsonSchema): Html {
  const name = nameIn(schema);
  if (name !== null) return html`<a href="#schema-${name}">${name}</a>`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (Array.isArray(schema.enum))
    return joined(schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`));
  if (Array.isArray(schema.anyOf)) return joined(asSchemas(schema.anyOf).map(schemaKindOf));
  if (Array.isArray(schema.type)) return joined(schema.type.map((type) => html`${String(type)}`));
  if (schema.type === 'array') return html`list of ${schemaKindOf((schema.items ?? {}) as JsonSchema)}`;
  if (
    schema.type === 'object' &&
    schema.properties === undefined &&
    typeof schema.additionalProperties === 'object'
  ) {
    return html`object of ${schemaKindOf(schema.additionalProperties as JsonSchema)}`;
  }
  return html`${String(schema.type ?? 'anything')}`;
}

const joined = (parts: readonly Html[]): Html =>
  html`${parts.map((part, index) => (index === 0 ? part : html` or ${part}`))}`;

const BOUNDS: readonly (readonly [least: string, most: string, unit: string])[] = [
  ['minimum', 'maximum', ''],
  ['minLength', 'maxLength', ' characters'],
  ['minItems', 'maxItems', ' items'],
];

/** `at least 1, at most 100 items`, for each unit that has a limit. */
function boundsOf(schema: JsonSchema): readonly string[] {
  return BOUNDS.flatMap(([least, most, unit]) => {
    const ends = [
      ...(typeof schema[least] === 'number' ? [`at least ${schema[least].toLocaleString('en-US')}`] : []),
      ...(typeof schema[most] === 'number' ? [`at most ${schema[most].toLocaleString('en-US')}`] : []),
    ];
    return ends.length === 0 ? [] : [ends.join(', ') + unit];
  });
}

/** The description of a schema with its limits. */
function remarksOf(schema: JsonSchema): Html {
  const bounds = boundsOf(schema).map((text) => html` <span class="bound">${text}</span>`);
  return html`${prose(typeof schema.description === 'string' ? schema.description : '')}${bounds}`;
}

/** The fields of an object as a table; for other schemas, the kind of value. */
export function fieldTable(schema: JsonSchema): Html {
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const rows = properties.map(
    ([name, field]) =>
      html`<tr><th scope="row"><code>${name}</code>${required.includes(name) ? html` <span class="needed" title="required">*</span>` : ''}</th><td>${schemaKindOf(field)}</td><td>${remarksOf(field)}</td></tr>`,
  );
  const others = schema.additionalProperties;
  if (typeof others === 'object' && others !== null) {
    rows.push(
      html`<tr><th scope="row"><i>any other name</i></th><td>${schemaKindOf(others as JsonSchema)}</td><td>${remarksOf(others as JsonSchema)}</td></tr>`,
    );
  }
  if (rows.length === 0) return html`<p>${schemaKindOf(schema)}</p>`;
  return html`<div class="scroll"><table class="fields"><thead><tr><th>Field</th><th>Value</th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
