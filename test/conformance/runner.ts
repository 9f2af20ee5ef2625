/**
 * Runs conformance cases against a server. A file holds `cases`; a case holds `columns`, `insert`, perhaps an
 * `operation` (update or delete) with `operation-expected`, a `query` and what is `expected` of it. Instead of columns
 * and insert a case may name one of the file's `data` sets, which is inserted once for all of its cases.
 * A case of its own columns and insert gets dimensions of its own, so that cases share a server and meet nothing of
 * each other: every dimension it names (or leaves out) is renamed in its columns, entities and queries. Data sets
 * stay where they are.
 */
import fs from 'node:fs';
import {
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

/** Which endpoint the cases of a file ask, and which one their operation goes to. A file stands here once it is built. */
export const ENDPOINTS: Readonly<Record<string, { readonly query: string; readonly operation?: string }>> = {
  count_entity: { query: '/v1/query/count/entity' },
};

export interface Case {
  readonly name: string;
  /** What to insert first; cases that share it hold the same object. */
  readonly data: ObjectNode;
  readonly operation: JsonNode | null;
  readonly operationExpected: JsonNode | null;
  readonly query: JsonNode;
  readonly expected: JsonNode;
  /** Names of the entities that a count counts, where the case tells. */
  readonly matches: readonly string[] | null;
}

export function readCases(file: string): Case[] {
  const root = objectOf(parseText(fs.readFileSync(file, 'utf8')), file);
  const list = member(root, 'cases');
  if (list?.t !== 'list') throw new Error(`${file} holds no list of cases`);
  const sets = member(root, 'data');
  return list.items.map((item, index) => {
    const found = objectOf(item, `case ${index} of ${file}`);
    const name = textMember(found, 'name') ?? `case ${index}`;
    const set = textMember(found, 'data');
    const data = set === undefined ? scopedData(found, scopeOf(index)) : member(objectOf(sets, 'data'), set);
    const needed = (key: string): JsonNode => {
      const value = member(found, key);
      if (value === undefined) throw new Error(`${name} has no ${key}`);
      return set === undefined && key !== 'expected' ? scopedQueries(value, scopeOf(index)) : value;
    };
    const matches = member(found, 'matches');
    return {
      name,
      data: objectOf(data, `the data of ${name}`),
      operation: member(found, 'operation') === undefined ? null : needed('operation'),
      operationExpected: member(found, 'operation-expected') ?? null,
      query: needed('query'),
      expected: needed('expected'),
      matches:
        matches?.t === 'list' ? matches.items.map((match) => (match.t === 'string' ? match.text : '')) : null,
    };
  });
}

// Dimensions of a case's own

const scopeOf = (index: number): string => `case-${index}`;

function scoped(object: ObjectNode, scope: string): ObjectNode {
  const dimension = textMember(object, 'dimension');
  const text = dimension === undefined ? scope : `${scope}-${dimension}`;
  return withMember(object, 'dimension', { t: 'string', text });
}

function scopedQueries(node: JsonNode, scope: string): JsonNode {
  if (node.t === 'list') return { t: 'list', items: node.items.map((item) => scopedQueries(item, scope)) };
  return node.t === 'object' ? scoped(node, scope) : node;
}

function scopedData(found: ObjectNode, scope: string): ObjectNode {
  const columns = member(found, 'columns');
  const insert = objectOf(member(found, 'insert'), 'insert');
  const entities = insert.members.map(({ key, value }) => ({
    key,
    value: key === 'auto-create' || value.t !== 'object' ? value : scoped(value, scope),
  }));
  return {
    t: 'object',
    members: [
      {
        key: 'columns',
        value: columns === undefined ? { t: 'list', items: [] } : scopedQueries(columns, scope),
      },
      { key: 'insert', value: { t: 'object', members: entities } },
    ],
  };
}

// Against a server

/** Creates the columns and inserts the entities. Rejects when the server refuses. */
export async function load(server: ConformanceServer, data: ObjectNode): Promise<void> {
  const send = async (urlPath: string, body: JsonNode | undefined): Promise<void> => {
    if (body === undefined || (body.t === 'list' && body.items.length === 0)) return;
    const { status, text } = await server.post(urlPath, textOf(body));
    if (status !== 200) throw new Error(`${urlPath}: HTTP ${status}, ${text}`);
  };
  await send('/v1/column', member(data, 'columns'));
  await send('/v1/insert', member(data, 'insert'));
}

/** Sends a body and tells how the answer differs from what is expected; null when it does not. */
async function ask(
  server: ConformanceServer,
  urlPath: string,
  body: JsonNode,
  expected: JsonNode,
): Promise<string | null> {
  const { status, text } = await server.post(urlPath, textOf(body));
  const isRefusal = member(objectOf(expected, 'expected'), 'errors') !== undefined;
  if ((status === 200) === isRefusal) return `HTTP ${status}, ${text.slice(0, 500)}`;
  return difference(expected, parseText(text));
}

/** Runs the operation of a case, if it has one; what differs, or null. Once only: operations change the data. */
export async function operate(
  server: ConformanceServer,
  endpoint: string,
  one: Case,
): Promise<string | null> {
  if (one.operation === null) return null;
  const { operation } = ENDPOINTS[endpoint];
  if (operation === undefined || one.operationExpected === null)
    throw new Error(`${one.name} has an odd operation`);
  return ask(server, operation, one.operation, one.operationExpected);
}

/** Asks the query of a case; what differs, or null. */
export function query(server: ConformanceServer, endpoint: string, one: Case): Promise<string | null> {
  return ask(server, ENDPOINTS[endpoint].query, one.query, one.expected);
}

/** The different data of cases, in their order. */
export const dataOf = (cases: readonly Case[]): ObjectNode[] => [...new Set(cases.map(({ data }) => data))];
