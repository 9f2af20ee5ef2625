/**
 * Checks the document against its sources and against OpenAPI 3.1's own rules, and its examples against its schemas.
 */
import t from 'tap';
import { ERRORS } from '../../src/base/index.js';
import { ENDPOINTS } from '../../src/http/endpoints/endpoints.js';
import { BOUNDS } from '../../src/http/endpoints/tables.js';
import { OPERATIONS } from '../../src/openapi/index.js';
import { ANSWER_REFUSALS, savedRefusals } from '../conformance/codes/codes-answers.js';
import { COLUMN_REFUSALS, insertRefusals, QUERY_REFUSALS } from '../conformance/codes/codes-data.js';
import { accessRefusals, DIMENSIONS, type Refusal, TEAM } from '../conformance/codes/codes-general.js';
import { Checker, sentDocument } from './checker.js';

const document = sentDocument();
const checker = new Checker(document);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

/** Every object of the document in the position of a schema. */
function* schemasIn(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'schema') yield inner;
    else yield* schemasIn(inner);
  }
}

t.test('every endpoint has one description, and every description has an endpoint', async (t) => {
  const names = ENDPOINTS.map(({ method, path }) => `${method} ${path}`);
  t.strictSame(Object.keys(OPERATIONS).sort(), [...names].sort());
  for (const { method, path } of ENDPOINTS) t.ok(checker.operation(method, path.replace(/:\w+/, 'x')), path);
});

t.test('every error code, limit, key, rate and body length is documented', async (t) => {
  t.strictSame(
    document['x-error-codes'],
    Object.fromEntries(
      Object.entries(ERRORS).map(([code, { status, condition }]) => [code, { status, condition }]),
    ),
  );
  t.strictSame(
    document['x-limits'],
    BOUNDS.map(([what, most]) => ({ what, most })),
  );
  for (const { method, path, rate, bodyBytesMax } of ENDPOINTS) {
    const operation = checker.operation(method, path.replace(/:\w+/, 'x'));
    t.equal(operation['x-requests-per-minute'], rate, path);
    if (operation.requestBody !== undefined) t.equal(operation['x-body-bytes-max'], bodyBytesMax, path);
  }
  const documented = new Set(operations.flatMap(({ operation }) => operation['x-error-codes'] ?? []));
  const untold = Object.keys(ERRORS)
    .map(Number)
    .filter((code) => !documented.has(code as never) && !('never' in ERRORS[code as keyof typeof ERRORS]));
  t.strictSame(untold, [], 'every possible code belongs to some endpoint');
});

t.test('the document conforms to OpenAPI 3.1', async (t) => {
  t.match(document.openapi, /^3\.1\.\d$/);
  const ids = operations.map(({ operation }) => operation.operationId);
  t.equal(new Set(ids).size, ids.length, 'names of operations are unique');
  const tags = new Set(document.tags.map(({ name }) => name));
  for (const { path, method, operation } of operations) {
    const label = `${method} ${path}`;
    t.ok(/^\/[^?]*$/.test(path) && operation.tags.every((tag) => tags.has(tag)), `${label}: path and tags`);
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
    t.strictSame(
      declared.map(({ name }) => name),
      inPath,
      `${label}: its parameters`,
    );
    t.ok(declared.every(({ required }) => required === true));
    for (const [status, response] of Object.entries(operation.responses)) {
      t.match(status, /^[2-5]\d\d$/);
      t.ok(response.description.length > 0, `${label}: ${status} is described`);
    }
    if (method === 'GET') t.equal(operation.requestBody, undefined, `${label} has no body`);
  }
});

t.test('every schema conforms to JSON Schema 2020-12, and every reference resolves', async (t) => {
  const inline = [...schemasIn(document.paths)];
  t.ok(inline.length > 100, `${inline.length} schemas`);
  for (const schema of [...Object.values(document.components.schemas), ...inline]) {
    if (!checker.isSchema(schema)) t.fail(JSON.stringify(schema).slice(0, 200));
    checker.fault(schema, null);
  }
  const text = JSON.stringify(document);
  const parts = document.components as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  for (const [, part, name] of text.matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)) {
    if (parts[part]?.[name] === undefined) t.fail(`${part}/${name}`);
  }
  const used = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name));
  t.strictSame(
    Object.keys(document.components.schemas).filter((name) => !used.has(name)),
    [],
    'each is used',
  );
});

t.test('every example matches its schema', async (t) => {
  let count = 0;
  for (const { path, method, operation } of operations) {
    const bodies = Object.values(operation.requestBody?.content ?? {});
    const answers = Object.values(operation.responses[200]?.content ?? {});
    for (const { schema, example } of [...bodies, ...answers]) {
      if (example === undefined) continue;
      t.equal(checker.fault(schema, example), null, `${method} ${path}`);
      count++;
    }
  }
  t.ok(count > 50, `${count} examples`);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    for (const example of (schema.examples ?? []) as unknown[])
      t.equal(checker.fault(schema, example), null, name);
  }
});

t.test('a schema refuses values that do not match it', async (t) => {
  const wrong = (name: string, value: unknown): void => {
    t.not(
      checker.fault({ $ref: `#/components/schemas/${name}` }, value),
      null,
      `${name}: ${JSON.stringify(value)}`,
    );
  };
  wrong('Query', []);
  wrong('Query', [{ age: {} }]);
  wrong('Query', [{ age: { gte: 1 }, name: { equals: 'x' } }]);
  wrong('Query', [{ age: { above: 1 } }]);
  wrong('Level', { country: 0 });
  wrong('Level', { country: 1_001 });
  wrong('Level', { country: 'most' });
  wrong('NewColumn', { name: 'x', type: 'text' });
  wrong('NewColumn', { name: 'x', type: 'string', unknown: 1 });
  wrong('Extraction', { query: [{ age: { gte: 1 } }] });
  wrong('Cell', {});
  wrong('Refusal', { status: 'error', errors: [] });
});

/** Invalid keys: the test reads only codes and paths. */
const NOBODY = {
  team: '',
  read: '',
  powerless: '',
  full: '',
  walled: '',
  reader: '',
  writer: '',
  elsewhere: '',
};

t.test('every code that an endpoint is known to answer is one of its documented codes', async (t) => {
  const refusals: readonly Refusal[] = [
    ...accessRefusals(NOBODY),
    ...DIMENSIONS,
    ...TEAM,
    ...ANSWER_REFUSALS,
    ...savedRefusals(NOBODY),
    ...COLUMN_REFUSALS,
    ...insertRefusals(NOBODY, Date.now()),
    ...QUERY_REFUSALS,
  ];
  const missing = new Set<string>();
  for (const [code, { method, path, body, text }] of refusals) {
    const verb = method ?? (body === undefined && text === undefined ? 'GET' : 'POST');
    const operation = checker.operation(verb, path.replace(/\/$/, ''));
    if (operation['x-error-codes']?.includes(code) !== true) missing.add(`${verb} ${path} ${code}`);
  }
  t.strictSame([...missing], []);
});
