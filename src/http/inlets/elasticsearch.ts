/**
 * The inlet for the bulk API of Elasticsearch, and what shippers ask before they use it. A document is a record of the dimension that
 * its index names; `_id` is the ID of its entity.
 * Invariant: an item of the answer has status 201 only if its document is durable.
 */
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject, parseJson } from '../../api/index.js';
import { NAME_CHARS_MAX, QuarryError } from '../../base/index.js';
import { columnNameOf } from '../../schema/index.js';
import { type Answer, errorHead } from '../transport/answer.js';
import { textOf } from './event-record.js';
import {
  type FixedRoute,
  type Inlet,
  type InletBatch,
  type InletHead,
  type InsertRoute,
  jsonAnswer,
  mayPass,
  type PartOutcome,
  type RefusedHead,
  refusalIn,
} from './inlet.js';
import { FIELDS_MAX, fieldCountOf, ID_FIELD, refusedRecord } from './record-text.js';

/** The version of the protocol, which clients check. */
const VERSION = '8.11.0';
const LINE_BREAK = 0x0a;
const COLON = 0x3a;
const MAPPING = { id: ID_FIELD } as const;
/** Clients refuse to talk to servers whose answers lack it. */
const PRODUCT: readonly (readonly [string, string])[] = [['X-Elastic-Product', 'Elasticsearch']];

const INFO = {
  name: 'quarry',
  cluster_name: 'quarry',
  cluster_uuid: 'quarry',
  version: {
    number: VERSION,
    build_flavor: 'default',
    build_type: 'docker',
    build_hash: 'unknown',
    build_date: '2023-11-04T10:04:57.184859352Z',
    build_snapshot: false,
    lucene_version: '9.8.0',
    minimum_wire_compatibility_version: '7.17.0',
    minimum_index_compatibility_version: '7.0.0',
  },
  tagline: 'You Know, for Search',
};
const LICENSE = { status: 'active', uid: 'quarry', type: 'basic', mode: 'basic' };
const HEALTH = { cluster_name: 'quarry', status: 'green', timed_out: false };

const fixed = (method: FixedRoute['method'], path: string, body: object): FixedRoute => ({
  ...{ method, path },
  answer: () => answerOf({ status: 200 }, body),
});

const bulk = (method: InsertRoute['method'], path: string): InsertRoute => ({
  ...{ method, path },
  keyInBody: false,
  read: readBulk,
});

export const elasticsearch: Inlet = {
  name: 'elasticsearch',
  defaultDimension: 'log',
  routes: [
    ...(['get', 'head'] as const).map((method) => fixed(method, '/', INFO)),
    fixed('get', '/_license', { license: LICENSE }),
    fixed('get', '/_xpack', { license: LICENSE, features: {} }),
    ...['/_cluster/health', '/_cat/health'].flatMap((path) =>
      (['get', 'head'] as const).map((method) => fixed(method, path, HEALTH)),
    ),
    ...(['post', 'put'] as const).flatMap((method) => [
      bulk(method, '/_bulk'),
      bulk(method, '/:index/_bulk'),
    ]),
  ],
  refusal,
};

/** One action of a bulk body. */
interface Item {
  readonly action: string;
  readonly index: string;
  readonly id: string;
  /** Why it is refused whatever happens to others; null = its document is inserted. */
  readonly refusal: string | null;
  readonly dimension: string;
}

function readBulk(body: Uint8Array, head: InletHead): InletBatch {
  const items: Item[] = [];
  const lines = new Map<string, string[]>();
  const bodyLines = linesOf(body);
  for (let at = 0; at < bodyLines.length; ) {
    const item = itemOf(bodyLines[at++], head);
    items.push(item);
    if (item.action === 'delete') continue;
    if (at === bodyLines.length) throw new QuarryError(1503, 'the last action has no document');
    const document = bodyLines[at++];
    if (item.refusal !== null) continue;
    const own = lines.get(item.dimension) ?? [];
    lines.set(item.dimension, own);
    own.push(recordOf(document, item.id));
  }
  const dimensions = [...lines.keys()];
  return {
    key: null,
    groups: dimensions.map((dimension) => ({
      dimension,
      mapping: MAPPING,
      lines: lines.get(dimension) ?? [],
    })),
    answer: (outcomes) => answerTo({ items, dimensions }, outcomes, head),
  };
}

/** The lines of the body that are not blank. */
function linesOf(body: Uint8Array): Buffer[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_BREAK, start);
    const end = found === -1 ? bytes.length : found;
    if (bytes.subarray(start, end).some((byte) => byte > 0x20)) lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

/** Throws 1503 for a line that is no action, because then it is unknown which lines are documents. */
function itemOf(line: Buffer, { pathName, dimension }: InletHead): Item {
  const json = parseJson(line);
  const [action, ...others] = isObject(json) ? [...json] : [];
  if (action === undefined || others.length > 0 || !isObject(action[1])) {
    throw new QuarryError(1503, 'an action of the bulk is no object with one object');
  }
  const [name, fields] = action as [string, JsonObject];
  const index = textOf(fields.get('_index')) || pathName;
  const own = index === '' ? dimension : dimensionOf(index);
  return {
    ...{ action: name, index: index === '' ? dimension : index, dimension: own },
    id: textOf(fields.get('_id')) || randomUUID(),
    refusal: refusalOf(name, own),
  };
}

function refusalOf(action: string, dimension: string): string | null {
  if (action !== 'index' && action !== 'create')
    return `the action ${action} is not supported: index and create are`;
  return dimension === '' ? 'the name of the index has no letter and no digit' : null;
}

const dimensionOf = (index: string): string => columnNameOf(index).slice(0, NAME_CHARS_MAX).replace(/-$/, '');

/** The document with its ID as a field more. What is no object is left as it is, and refused. */
function recordOf(document: Buffer, id: string): string {
  if (!isUtf8(document)) return refusedRecord('the document is not valid UTF-8', document.toString('base64'));
  const text = document.toString().trim();
  if (!text.startsWith('{')) return text;
  if (hasTooManyFields(document)) return refusedRecord(`more than ${FIELDS_MAX} fields`, text);
  const rest = text.slice(1).trimStart();
  const comma = rest.startsWith('}') ? '' : ',';
  return `{${JSON.stringify(ID_FIELD)}:${JSON.stringify(id)}${comma}${rest}`;
}

/** Most documents have fewer colons than that, and need not be read. */
function hasTooManyFields(document: Buffer): boolean {
  let colonCount = 0;
  for (let at = document.indexOf(COLON); at !== -1; at = document.indexOf(COLON, at + 1)) {
    if (++colonCount > FIELDS_MAX) return fieldCountIn(document) > FIELDS_MAX;
  }
  return false;
}

/** Of what is no JSON, or more than a body of the interface may have, all fields are too many. */
function fieldCountIn(document: Buffer): number {
  try {
    return fieldCountOf(parseJson(document));
  } catch (error) {
    if (error instanceof QuarryError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

interface Sent {
  readonly items: readonly Item[];
  /** By the index of their group. */
  readonly dimensions: readonly string[];
}

function answerTo({ items, dimensions }: Sent, outcomes: readonly PartOutcome[], head: InletHead): Answer {
  const results = dimensions.map((_, group) =>
    resultsOf(outcomes.filter((outcome) => outcome.group === group)),
  );
  const answered = items.map((item) => {
    const error = item.refusal ?? results[dimensions.indexOf(item.dimension)].next().value ?? null;
    return { [item.action]: { _index: item.index, _id: item.id, ...resultOf(error) } };
  });
  const refused = refusalIn(outcomes);
  const errors = items.some(({ refusal }) => refusal !== null) || refused !== null;
  const body = { took: 0, errors, items: answered };
  if (refused === null || !mayPass(refused.status)) return answerOf({ status: 200 }, body);
  // A client that does not regard the status of an item must send all of them again.
  const isWhole = head.userAgent === '' || outcomes.every(({ error }) => error !== null);
  return isWhole ? refusal(refused, head, body) : answerOf({ status: 200 }, body);
}

/** The error of each record of a group, in their order; null = it is durable. */
function* resultsOf(outcomes: readonly PartOutcome[]): Generator<QuarryError | null, null> {
  for (const { error, lineCount } of outcomes) for (let line = 0; line < lineCount; line++) yield error;
  return null;
}

function resultOf(error: QuarryError | string | null): object {
  if (error === null) {
    const _shards = { total: 1, successful: 1, failed: 0 };
    return { _version: 1, result: 'created', _shards, _seq_no: 0, _primary_term: 1, status: 201 };
  }
  if (typeof error === 'string')
    return { status: 400, error: { type: 'illegal_argument_exception', reason: error } };
  return mayPass(error.status)
    ? { status: 429, error: { type: 'es_rejected_execution_exception', reason: error.message } }
    : { status: error.status, error: errorOf(error) };
}

function errorOf({ status, message }: QuarryError): { readonly type: string; readonly reason: string } {
  const isSecurity = status === 401 || status === 403;
  return { type: isSecurity ? 'security_exception' : 'illegal_argument_exception', reason: message };
}

/**
 * A later attempt is advised by the status, and in each item of `more`. rsyslog, which sends no User-Agent, regards neither, and takes
 * every answer of a refusal for final: only a connection without an answer makes it try again.
 */
function refusal(error: QuarryError, { userAgent }: RefusedHead, more: object = {}): Answer {
  const cause = errorOf(error);
  const body = { ...more, error: { root_cause: [cause], ...cause }, status: error.status };
  return { ...answerOf(errorHead(error), body), isWithheld: mayPass(error.status) && userAgent === '' };
}

const answerOf = (head: Pick<Answer, 'status'>, body: object): Answer => ({
  ...jsonAnswer(head, body),
  headers: PRODUCT,
});
