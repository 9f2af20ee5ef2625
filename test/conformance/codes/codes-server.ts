/**
 * Shared by the tests of error codes: a server process with its clients, and a parser of error answers. The parser
 * throws if an answer does not have the form of an error, or its code is not in the table.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import { ERRORS, type ErrorCode } from '../../../src/base/index.js';
import { type ApiRequest, JsonClient, type Reply } from '../../support/json-client.js';
import { type Keys, ServerProcess } from '../../support/server-process.js';

export interface CodesServer {
  readonly dir: string;
  readonly keys: Keys;
  /** Sends the master key of the first database by default. */
  readonly client: JsonClient;
}

/** Starts a server of one shard that ends with the test. */
export async function startCodesServer(t: Test, flags: readonly string[] = []): Promise<CodesServer> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-codes-'));
  const server = new ServerProcess({ dir, flags: ['--workers', '1', ...flags] });
  t.teardown(async () => {
    await server.kill();
    fs.rmSync(dir, { recursive: true });
  });
  const serving = await server.serving;
  const keys = server.keys();
  const client = new JsonClient(serving, keys.master);
  t.teardown(() => client.close());
  return { dir, keys, client };
}

export interface AnswerError {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Limit of a message, whatever the length of the input that it names. */
const MESSAGE_CHARS_MAX = 1_000;

const isCode = (code: unknown): code is ErrorCode => typeof code === 'number' && Object.hasOwn(ERRORS, code);

/** The errors of an answer; its HTTP status is that of the first. */
export function errorsOf({ status, body }: Pick<Reply, 'status' | 'body'>): readonly AnswerError[] {
  const fault = (what: string): Error => new Error(`${what}: HTTP ${status}, ${JSON.stringify(body)}`);
  const { status: word, errors } = body as { readonly status?: unknown; readonly errors?: unknown };
  if (word !== 'error' || !Array.isArray(errors) || errors.length === 0) throw fault('no error answer');
  const found = errors.map(({ code, message }: { code: unknown; message: unknown }): AnswerError => {
    if (!isCode(code)) throw fault('a code that is not in the table');
    if (typeof message !== 'string' || message === '') throw fault('an error without a message');
    if (message.length > MESSAGE_CHARS_MAX) throw fault('a message that grows with its input');
    return { code, message };
  });
  if (ERRORS[found[0].code].status !== status) throw fault('not the HTTP status of the code');
  return found;
}

/** The codes of an answer, in order; empty for a success. */
export function codesOf(reply: Pick<Reply, 'status' | 'body'>): readonly ErrorCode[] {
  return reply.status === 200 ? [] : errorsOf(reply).map(({ code }) => code);
}

const withoutTook = (body: unknown): unknown => ({ ...(body as object), took: 0 });

/** Metadata of a database without the fields that every request changes. */
function lasting(database: unknown): unknown {
  const { usage, ...metadata } = database as { readonly usage: Readonly<Record<string, number>> };
  return { ...metadata, usage: { ...usage, requests: 0, queries: 0 } };
}

/** The custom keys without the time of their last use. */
function lastingKeys(answer: { readonly keys: readonly object[] }): unknown {
  return { ...answer, took: 0, keys: answer.keys.map((key) => ({ ...key, 'last-used': null })) };
}

const READS: readonly ApiRequest[] = [
  { path: '/v1/dimension' },
  { path: '/v1/column' },
  { path: '/v1/column/relation' },
  { path: '/v1/query/count/entity/total' },
  { path: '/v1/query/saved' },
];

/** The state inside the databases of `masters` and of the team, which a refused request must leave unchanged. */
export async function stateOf({ client, keys }: CodesServer, masters: readonly string[]): Promise<unknown> {
  const insides = masters.flatMap((key) => READS.map((request) => client.succeed({ ...request, key })));
  const customKeys = client.succeed<{ readonly keys: readonly object[] }>({
    path: '/v1/database/custom_key',
    key: keys.team,
  });
  const databases = client.succeed<unknown[]>({ path: '/v1/database/retrieve_all', key: keys.team });
  return [
    (await Promise.all(insides)).map(withoutTook),
    lastingKeys(await customKeys),
    (await databases).map(lasting),
  ];
}
