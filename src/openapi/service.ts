/** Paths of the server itself, which need no key: this document, its page, probes and metrics. */
import type { ApiOperation } from './api-document.js';
import type { JsonSchema } from './json-schema.js';

const get = (
  operationId: string,
  summary: string,
  type: string,
  more: object = {},
): { readonly get: ApiOperation } => ({
  get: {
    operationId,
    tags: ['Service'],
    summary,
    security: [],
    parameters: [],
    responses: {
      200: { description: 'Done.', content: { [type]: { schema: { type: 'string' } } } },
      ...more,
    },
    'x-keys': 'none needed',
  },
});

const probe = (
  operationId: string,
  summary: string,
  words: readonly string[],
  more: object = {},
  properties: object = {},
) => {
  const schema = {
    type: 'object',
    properties: { status: { enum: words }, ...properties },
    required: ['status'],
  };
  const { get: operation } = get(operationId, summary, 'application/json', more);
  return { get: { ...operation, responses: { ...operation.responses, 200: answerOf('Yes.', schema) } } };
};

/** Member of the answer next to `ready`: errors that some requests get at present. */
const DEGRADED = {
  degraded: {
    type: 'array',
    items: {
      type: 'object',
      properties: { code: { type: 'integer' }, message: { type: 'string' } },
      required: ['code', 'message'],
      additionalProperties: false,
    },
    description:
      'Present while writes or queries are refused: the disk or the memory is full, a shard is rebuilt.',
  },
};

const answerOf = (description: string, schema: object) => ({
  description,
  content: { 'application/json': { schema: { ...schema, additionalProperties: false } } },
});

/** `history`: the schema of the answer of /metrics/history. */
export function servicePaths(history: JsonSchema): Readonly<Record<string, { readonly get: ApiOperation }>> {
  const notYet = {
    503: answerOf('Not yet, or not any more.', {
      type: 'object',
      properties: { status: { enum: ['starting', 'stopping'] } },
      required: ['status'],
    }),
  };
  const { get: document } = get('getOpenapi', 'This document', 'application/json');
  return {
    '/v1/openapi.json': {
      get: {
        ...document,
        responses: {
          200: {
            description: 'OpenAPI 3.1.',
            content: { 'application/json': { schema: { type: 'object' } } },
          },
        },
      },
    },
    '/docs': get('getDocs', 'This document as a page', 'text/html'),
    '/readyz': probe('getReadyz', 'Whether the data is loaded', ['ready'], notYet, DEGRADED),
    '/livez': probe('getLivez', 'Whether the process runs', ['alive']),
    '/metrics': get('getMetrics', 'Metrics for Prometheus', 'text/plain'),
    '/metrics/history': {
      get: {
        ...get('getMetricsHistory', 'Statistics of the last hour', 'application/json').get,
        parameters: [
          {
            name: 'after',
            in: 'query',
            required: false,
            description: 'Number of a sample: only newer ones are in the answer.',
            schema: { type: 'integer', minimum: 0 },
          },
        ],
        responses: {
          200: { description: 'Done.', content: { 'application/json': { schema: history } } },
        },
      },
    },
  };
}
