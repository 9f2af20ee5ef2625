/**
 * Runs conformance cases against a server. A file contains `cases`. A case has `columns`, `insert`, optionally an
 * `operation` (update or delete) with `operation-expected`, a `query` and its `expected` answer. Instead of columns and
 * insert, a case may name one of the file's `data` sets. Instead of one operation, it may have `steps`: a list of
 * `{"post": path, "body", "expected"}`. Instead of data sets, a file may name another file of the folder that contains
 * them. A case may override the comparison rules of its file: `lists` "in any order", `numbers` "to the digit".
 * Cases share a server but are independent: every dimension that a case names (or omits) is renamed in its columns,
 * entities and queries, so that each case has its own dimensions. Data sets that no case changes are not renamed per
 * case, and are inserted once for all of their cases.
 */
import fs from 'node:fs';
import path from 'node:path';
import {
  type Comparison,
  difference,
  member,
  type ObjectNode,
  objectOf,
  parseText,
  textMember,
  textOf,
  withMember,
} from '../support/conformance-json.js';
import type { ConformanceServer } from '../support/conformance-server.js';
import type { JsonNode } from '../support/json-tree.js';

const INSERT = '/v1/insert';

/**
 * The endpoints of the queries and of the operations of a file's cases. A file is listed once its endpoint is
 * implemented.
 */
export const ENDPOINTS: Readonly<Record<string, { readonly query: string; readonly operation?: string }>> = {
  aggregation: { query: '/v1/query/aggregation' },
  count_entity: { query: '/v1/query/count/entity' },
  count_event: { query: '/v1/query/count/event' },
  result: { query: '/v1/data_extraction/result' },
  score: { query: '/v1/data_extraction/score' },
  top_values: { query: '/v1/query/top_values' },
  update: { query: '/v1/query/count/entity', operation: '/v1/update' },
  delete: { query: '/v1/query/count/entity', operation: '/v1/delete' },
};

/** A request of a case before its query. */
interface Step {
  readonly urlPath: string;
  readonly body: JsonNode;
  readonly expected: JsonNode;
}

export interface Case {
  readonly name: string;
  /** The rows to insert first. Cases that share them refer to the same object. */
  readonly data: ObjectNode;
  readonly steps: readonly Step[];
  readonly query: JsonNode;
  readonly expected: JsonNode;
  readonly how: Comparison;
  /** Names of the entities that a count counts, if the case names them. */
  readonly matches: readonly string[] | null;
}

const rootOf = (file: string): ObjectNode => objectOf(parseText(fs.readFileSync(file, 'utf8')), file);

/**
 * The cases of a file, whose name determines the endpoint of an `operation`. `lists` is the default comparison of
 * lists.
 */
export function readCases(file: string, lists: Comparison['lists'] = 'in any order'): Case[] {
  const stem = path.basename(file, '.json').replaceAll('-', '_');
  const root = rootOf(file);
  const list = member(root, 'cases');
  if (list?.t !== 'list') throw new Error(`${file} has no list of cases`);
  const elsewhere = textMember(root, 'data');
  const sets = member(
    elsewhere === undefined ? root : rootOf(path.join(path.dirname(file), elsewhere)),
    'data',
  );
  return list.items.map((item, index) => {
    const found = objectOf(item, `case ${index} of ${file}`);
    const name = textMember(found, 'name') ?? `case ${index}`;
    const scope = `${stem.replaceAll('_', '-')}-${index}`;
    const steps = readSteps(found, name, ENDPOINTS[stem]?.operation).map(
      ({ urlPath, body, expected }): Step => ({
        urlPath,
        body: urlPath === INSERT ? scopedInsert(objectOf(body, name), scope) : scopedQueries(body, scope),
        expected,
      }),
    );
    const set = textMember(found, 'data');
    const data =
      set === undefined ? found : objectOf(member(objectOf(sets, 'data'), set), `the data of ${name}`);
    const isOwn = set === undefined || steps.length > 0;
    const queryBody = needed(found, 'query', name);
    const matches = member(found, 'matches');
    return {
      name,
      data: isOwn ? scopedData(data, scope) : data,
      steps,
      query: isOwn ? (stem === 'top_values' ? scopedMembers : scopedQueries)(queryBody, scope) : queryBody,
      expected: needed(found, 'expected', name),
      how: {
        lists: textMember(found, 'lists') === 'in any order' ? 'in any order' : lists,
        numbers: textMember(found, 'numbers') === 'to the digit' ? 'to the digit' : 'near',
      },
      matches:
        matches?.t === 'list' ? matches.items.map((match) => (match.t === 'string' ? match.text : '')) : null,
    };
  });
}

function needed(found: ObjectNode, key: string, name: string): JsonNode {
  const value = member(found, key);
  if (value === undefined) throw new Error(`${name} has no ${key}`);
  return value;
}

/** The steps of a case, or its one operation, as in the file. */
function readSteps(found: ObjectNode, name: string, operationPath: string | undefined): Step[] {
  const steps = member(found, 'steps');
  if (steps?.t === 'list') {
    return steps.items.map((item) => {
      const step = objectOf(item, `a step of ${name}`);
      const urlPath = textMember(step, 'post');
      if (urlPath === undefined) throw new Error(`a step of ${name} does not name its path`);
      return { urlPath, body: needed(step, 'body', name), expected: needed(step, 'expected', name) };
    });
  }
  const operation = member(found, 'operation');
  if (operation === undefined) return [];
  if (operationPath === undefined) throw new Error(`${name} has an operation, but its file has none`);
  return [{ urlPath: operationPath, body: operation, expected: needed(found, 'operation-expected', name) }];
}

// Dimensions of each case

function scoped(object: ObjectNode, scope: string): ObjectNode {
  const dimension = textMember(object, 'dimension');
  const text = dimension === undefined ? scope : `${scope}-${dimension}`;
  return withMember(object, 'dimension', { t: 'string', text });
}

function scopedQueries(node: JsonNode, scope: string): JsonNode {
  if (node.t === 'list') return { t: 'list', items: node.items.map((item) => scopedQueries(item, scope)) };
  return node.t === 'object' ? scoped(node, scope) : node;
}

/** For a body that is an object of queries by name. */
function scopedMembers(node: JsonNode, scope: string): JsonNode {
  const members = objectOf(node, 'queries by name').members.map(({ key, value }) => ({
    key,
    value: scopedQueries(value, scope),
  }));
  return { t: 'object', members };
}

function scopedInsert(insert: ObjectNode, scope: string): ObjectNode {
  const members = insert.members.map(({ key, value }) => ({
    key,
    value: key === 'auto-create' || value.t !== 'object' ? value : scoped(value, scope),
  }));
  return { t: 'object', members };
}

function scopedData(found: ObjectNode, scope: string): ObjectNode {
  const columns = member(found, 'columns') ?? { t: 'list', items: [] };
  const insert = objectOf(member(found, 'insert'), 'insert');
  return {
    t: 'object',
    members: [
      { key: 'columns', value: scopedQueries(columns, scope) },
      { key: 'insert', value: scopedInsert(insert, scope) },
    ],
  };
}

// Against a server

/** Creates the columns and inserts the entities. Rejects if the server refuses. */
export async function load(server: ConformanceServer, data: ObjectNode): Promise<void> {
  const send = async (urlPath: string, body: JsonNode | undefined): Promise<void> => {
    if (body === undefined || (body.t === 'list' && body.items.length === 0)) return;
    const { status, text } = await server.post(urlPath, textOf(body));
    if (status !== 200) throw new Error(`${urlPath}: HTTP ${status}, ${text}`);
  };
  await send('/v1/column', member(data, 'columns'));
  await send(INSERT, member(data, 'insert'));
}

/** Sends a body and returns how the answer differs from the expected one; null if it does not. */
async function sendQuery(
  server: ConformanceServer,
  urlPath: string,
  body: JsonNode,
  expected: JsonNode,
  how: Comparison,
): Promise<string | null> {
  const { status, text } = await server.post(urlPath, textOf(body));
  const isRefusal = member(objectOf(expected, 'expected'), 'errors') !== undefined;
  if ((status === 200) === isRefusal) return `HTTP ${status}, ${text.slice(0, 500)}`;
  return difference(expected, parseText(text), how);
}

/** Executes the steps of a case, which change the data, so only once. Returns the first difference, or null. */
export async function operate(server: ConformanceServer, one: Case): Promise<string | null> {
  for (const { urlPath, body, expected } of one.steps) {
    const differs = await sendQuery(server, urlPath, body, expected, one.how);
    if (differs !== null) return `${urlPath}: ${differs}`;
  }
  return null;
}

/** Sends the query of a case; returns the difference, or null. */
export function query(server: ConformanceServer, urlPath: string, one: Case): Promise<string | null> {
  return sendQuery(server, urlPath, one.query, one.expected, one.how);
}

/** The distinct data of cases, in order. Shared sets occur once. */
export function dataOf(cases: readonly Case[]): ObjectNode[] {
  const objects = new Set(cases.map(({ data }) => data));
  return [...new Map([...objects].map((data) => [textOf(data), data])).values()];
}
