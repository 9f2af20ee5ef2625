/**
 * The interface as an OpenAPI 3.1 document. It combines the table of endpoints (permissions), the requests and answers of
 * each endpoint (operations.ts) and the table of errors.
 * Invariant: every endpoint has an operation, and every operation an endpoint.
 */
import { ERRORS, type ErrorCode, invariant } from '../base/index.js';
import { PERMISSIONS, type Permission } from '../catalog/index.js';
import { answers, behaviourCondition, line } from '../interface/index.js';
import type { ApiDocument, ApiOperation } from './api-document.js';
import { byStatus, codesIn, codesOf } from './codes.js';
import { Components, type JsonSchema } from './json-schema.js';
import { OPERATIONS, type Operation, TAGS } from './operations.js';
import { servicePaths } from './service.js';

/** An entry of the table of endpoints. */
export interface DescribedEndpoint {
  readonly method: string;
  readonly path: string;
  readonly scope: 'database' | 'team' | 'open';
  readonly bodyType: string;
  readonly takesLines: boolean;
  readonly takesRecords: boolean;
  readonly bodyBytesMax: number;
  readonly plainHttp: boolean;
  readonly rate: number | string | null;
  /** Whether the endpoint accepts an Idempotency-Key. */
  readonly takesIdempotencyKey: boolean;
  readonly permission?: Permission;
  readonly isQuery?: boolean;
  readonly custom?: number | readonly string[];
  /** The keys that may call the endpoint, in words. */
  readonly keys: string;
  readonly customKeys: string;
}

/** A limit of the interface, in words. */
export type Limit = readonly [what: string, most: number];

export interface Described {
  readonly endpoints: readonly DescribedEndpoint[];
  readonly limits: readonly Limit[];
}

const LINES_MEDIA = 'application/x-ndjson';
const ARROW_MEDIA = 'application/vnd.apache.arrow.stream';
const PARQUET_MEDIA = 'application/vnd.apache.parquet';
const EVENTS_MEDIA = 'text/event-stream';

export function apiDocument({ endpoints, limits }: Described): ApiDocument {
  const components = new Components();
  const paths: Record<string, Record<string, ApiOperation>> = {};
  for (const endpoint of endpoints) {
    const name = `${endpoint.method} ${endpoint.path}`;
    const operation = OPERATIONS[name];
    invariant(operation !== undefined, `${name} is described`);
    const path = endpoint.path.replace(/:([a-z_]+)/, '{$1}');
    paths[path] ??= {};
    paths[path][endpoint.method.toLowerCase()] = operationOf(endpoint, operation, components);
  }
  // Condition lists refer to it by its name.
  components.jsonOf(behaviourCondition);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quarry',
      version: 'v1',
      summary: 'An analytical database server for entities and their events.',
      description:
        'A write that is answered with 200 is on disk as a whole, visible to every later query, and applied once per Idempotency-Key within 24 hours. Integers and decimals are exact: answers contain all digits of 64-bit integers, which some JSON readers round. A request that gets HTTP status 503 can be retried, as can one that gets 429, after `Retry-After`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: '/', description: 'This server, over HTTPS.' }],
    security: [{ key: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: { ...paths, ...servicePaths(components.jsonOf(answers.statsHistory)) },
    components: {
      schemas: components.all(),
      headers: HEADERS,
      securitySchemes: {
        key: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description:
            'A key of a database (master, write, read, demo), a custom key, a team key, or that of a session: the key alone, `Bearer KEY`, or Basic with the key as password.',
        },
      },
    },
    'x-error-codes': Object.fromEntries(
      Object.entries(ERRORS).map(([code, { status, condition }]) => [code, { status, condition }]),
    ),
    'x-limits': limits.map(([what, most]) => ({ what, most })),
  };
}

const header = (description: string, schema: JsonSchema): JsonSchema => ({ description, schema });
const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': header('The request ID that was sent, or one that the server generated.', {
    type: 'string',
  }),
  'RateLimit-Limit': header('Requests of this kind a minute.', { type: 'integer' }),
  'RateLimit-Remaining': header('Remaining requests.', { type: 'integer' }),
  'RateLimit-Reset': header('Seconds until the full number of requests is available again.', {
    type: 'integer',
  }),
  'Retry-After': header('Seconds to wait before trying again.', { type: 'integer' }),
};
const headerRefs = (...names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function operationOf(
  endpoint: DescribedEndpoint,
  operation: Operation,
  components: Components,
): ApiOperation {
  const { method, path, scope, plainHttp, rate, permission, isQuery = false, custom = [] } = endpoint;
  const { request, rows = false } = operation;
  const own = [...(request === undefined ? [] : codesIn(request, rows)), ...(operation.codes ?? [])];
  const codes = codesOf({ method, scope, plainHttp, isQuery, custom, own });
  const body = requestBodyOf(endpoint, operation, components);
  return {
    operationId: operationId(method, path),
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...(scope === 'open' ? { security: [] } : {}),
    parameters: parametersOf(endpoint, operation),
    ...(body === null ? {} : { requestBody: body }),
    responses: {
      200: answerOf(endpoint, operation, components),
      ...Object.fromEntries(
        byStatus(codes).map(([status, own]) => [
          String(status),
          refusalOf(status, own, rate !== null, components),
        ]),
      ),
    },
    'x-keys': endpoint.keys,
    'x-custom-keys': endpoint.customKeys,
    ...(permission === undefined
      ? {}
      : { 'x-permission': { number: permission, permits: PERMISSIONS[permission] } }),
    'x-requests-per-minute': rate,
    ...(body === null ? {} : { 'x-body-bytes-max': endpoint.bodyBytesMax }),
    'x-plain-http': plainHttp,
    'x-error-codes': codes,
  };
}

/** `postQueryCountEntity` */
function operationId(method: string, path: string): string {
  const words = path.split(/[^a-z]+/).filter((word) => word !== '' && word !== 'v');
  return method.toLowerCase() + words.map((word) => word[0].toUpperCase() + word.slice(1)).join('');
}

function parametersOf(
  { path, takesIdempotencyKey }: DescribedEndpoint,
  { rows, events, parameters = {} }: Operation,
): ApiOperation['parameters'] {
  const found: ApiOperation['parameters'][number][] = [];
  const name = /:([a-z_]+)/.exec(path)?.[1];
  if (name !== undefined) {
    const schema = { type: 'string' };
    found.push({ name, in: 'path', required: true, description: 'Name of the saved query.', schema });
  }
  for (const [parameter, description] of Object.entries(parameters)) {
    found.push({ name: parameter, in: 'query', description, schema: { type: 'string' } });
  }
  if (takesIdempotencyKey) {
    found.push({
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'Names the write: the same key and body within 24 hours take effect once, and get the first answer.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]*$' },
    });
  }
  if (rows === true) {
    found.push({
      name: 'Accept',
      in: 'header',
      description: 'The format of the rows: JSON unless one of the others has the highest weight.',
      schema: { type: 'string', examples: ['application/json', LINES_MEDIA, 'text/csv', ARROW_MEDIA] },
    });
  }
  if (events === true) {
    found.push({
      name: 'Last-Event-ID',
      in: 'header',
      description: 'The `id` of the last event that the client has: its answer is not sent again.',
      schema: { type: 'string', pattern: '^[0-9]*$' },
    });
  }
  found.push({
    name: 'X-Request-Id',
    in: 'header',
    description: 'Returned in the answer and written to the log; 1 to 128 printable ASCII characters.',
    schema: { type: 'string', maxLength: 128 },
  });
  return found;
}

function requestBodyOf(
  endpoint: DescribedEndpoint,
  operation: Operation,
  components: Components,
): ApiOperation['requestBody'] | null {
  const { request, example, mayBeEmpty = false } = operation;
  if (endpoint.takesRecords) return RECORD_BODY;
  if (request === undefined && endpoint.bodyType === 'application/json') return null;
  const schema = request === undefined ? { type: 'string', minLength: 1 } : components.jsonOf(request);
  const lines = {
    schema: linesOf(
      components.jsonOf(line),
      'One entity per line. The body may have any length; each line has the limits of other bodies.',
    ),
    example: '{"id": "u1", "country": "Germany", "age": 34}\n{"id": "u2", "country": "France"}\n',
  };
  return {
    required: !mayBeEmpty,
    content: {
      [endpoint.bodyType]: { schema, example },
      ...(endpoint.takesLines
        ? { [LINES_MEDIA]: lines, [ARROW_MEDIA]: ARROW_ROWS, [PARQUET_MEDIA]: PARQUET_ROWS }
        : {}),
    },
  };
}

const ARROW_ROWS = {
  schema: {
    type: 'string',
    format: 'binary',
    description:
      'An Arrow IPC stream of any length, whose rows become entities by the parameters `id`, `dimension`, `event`, `time`, `auto-create` and `unknown` of the URL, as for `POST /v1/insert/lines`. Each record batch is a part.',
  },
} as const;

const PARQUET_ROWS = {
  schema: {
    type: 'string',
    format: 'binary',
    description:
      'A Parquet file of at most 64 MiB, whose rows become entities by the parameters of the URL as those of an Arrow stream do. A row group, or a piece of a large one, is a part.',
  },
} as const;

/** Flat records in each of their forms. */
const RECORD_BODY: ApiOperation['requestBody'] = {
  required: true,
  content: {
    [LINES_MEDIA]: {
      schema: { type: 'string', description: 'One JSON object per line. The body may have any length.' },
      example: '{"user": "u1", "status": 200}\n{"user": "u2", "status": 404}\n',
    },
    'application/json': {
      schema: {
        description: 'A list of objects, or objects one after the other. The body may have any length.',
        type: ['array', 'object'],
      },
      example: [{ user: 'u1', status: 200 }],
    },
    'text/csv': {
      schema: { type: 'string', description: 'RFC 4180 with a line of names first.' },
      example: 'user,status\nu1,200\n',
    },
  },
};

const linesOf = (contentSchema: JsonSchema, description: string): JsonSchema => ({
  type: 'string',
  description,
  contentMediaType: 'application/json',
  contentSchema,
});

function answerOf(
  endpoint: DescribedEndpoint,
  operation: Operation,
  components: Components,
): ApiOperation['responses'][string] {
  const { answer, answered, rows, events } = operation;
  const json = {
    schema: components.jsonOf(answer),
    ...(answered === undefined ? {} : { example: answered }),
  };
  const inRows = {
    [LINES_MEDIA]: { schema: { type: 'string', description: 'One JSON object per row and line.' } },
    'text/csv': { schema: { type: 'string', description: 'RFC 4180, with a line of names first.' } },
    [ARROW_MEDIA]: { schema: { type: 'string', format: 'binary', description: 'An Arrow IPC stream.' } },
  };
  const inEvents = {
    [EVENTS_MEDIA]: {
      schema: linesOf(
        components.jsonOf(answer),
        'Events with `id`, the LSN of the answer, and `data`, the answer as JSON. Events named `delayed` and `end` hold a code and a message.',
      ),
      ...(answered === undefined ? {} : { example: `id: 7\ndata: ${JSON.stringify(answered)}\n\n` }),
    },
  };
  return {
    description:
      rows === true
        ? 'Success. If the connection closes before the end of an answer with rows, the answer is incomplete.'
        : 'Done.',
    headers: headerRefs(
      'X-Request-Id',
      ...(endpoint.rate === null ? [] : ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']),
    ),
    content: {
      ...(events === true ? inEvents : { 'application/json': json }),
      ...(rows === true ? inRows : {}),
      ...(endpoint.takesLines || endpoint.takesRecords
        ? {
            [LINES_MEDIA]: {
              schema: linesOf(components.jsonOf(answers.partAnswer), 'One line per part.'),
            },
          }
        : {}),
    },
  } as ApiOperation['responses'][string];
}

function refusalOf(
  status: number,
  codes: readonly ErrorCode[],
  isLimited: boolean,
  components: Components,
): ApiOperation['responses'][string] {
  const rate = isLimited ? ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] : [];
  const retry = status === 429 || status === 503 ? ['Retry-After'] : [];
  return {
    description: `Code ${codes.join(', ')}: see x-error-codes.`,
    'x-error-codes': codes,
    headers: headerRefs('X-Request-Id', ...rate, ...retry),
    content: {
      'application/json': {
        schema: {
          ...components.jsonOf(answers.refusal),
          properties: { errors: { prefixItems: [{ properties: { code: { enum: codes } } }] } },
        },
      },
    },
  } as ApiOperation['responses'][string];
}
