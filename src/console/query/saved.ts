/** Requests as saved queries. */
import { SAVED_QUERY_TYPES } from '../../interface/index.js';

/** The body of POST /v1/query/saved for a request; null if the interface cannot save its kind. */
export function savedForm({ path, body }: { readonly path: string; readonly body: string }): object | null {
  const type = SAVED_TYPES[path];
  if (type === undefined) return null;
  const { 'query-name': _name, ...single } = singleBody(body);
  if (isBehaviour(type)) return { type, query: single };
  const { dimension, query, filter, dimensions } = single;
  const named = typeof dimension === 'string' ? { dimension } : {};
  if (type === 'count/entity/total') return { type, query: dimensions ?? [] };
  if (type === 'aggregation')
    return { type, ...named, query: filter === undefined ? query : { filter, query } };
  if (type === 'top_values') return { type, query: JSON.parse(body) as unknown };
  return { type, ...named, query };
}

/** Whether the saved query is the whole object that the endpoint takes. */
export const isBehaviour = (type: string): boolean => !TABULAR.has(type);

const TABULAR: ReadonlySet<string> = new Set([
  ...['count/entity', 'count/event', 'count/entity/total', 'aggregation', 'top_values', 'sql'],
]);

const SAVED_TYPES: Readonly<Record<string, (typeof SAVED_QUERY_TYPES)[number]>> = Object.fromEntries(
  SAVED_QUERY_TYPES.map((type) => [`/v1/query/${type}`, type]),
);

/** The only query of a body. Throws SyntaxError if the body is not JSON. */
function singleBody(body: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(body);
  return (Array.isArray(parsed) ? parsed[0] : parsed) as Record<string, unknown>;
}
