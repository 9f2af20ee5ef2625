/**
 * The most expensive queries of a table whose values are nearly all distinct, and a client that sends them and accepts
 * any result: a complete answer, a refusal or a truncated answer.
 */
import https from 'node:https';
import type { Serving } from '../../support/server-process.js';
import { ALL_TIME } from '../history/row-requests.js';

export interface HeavyQuery {
  readonly path: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Taken {
  readonly status: number;
  /** The code of an error answer. */
  readonly code: number | null;
  readonly byteCount: number;
  /** False if the connection ended before the answer. */
  readonly whole: boolean;
}

const ARROW = 'application/vnd.apache.arrow.stream';
const EXTRACTION = 'data_extraction/result';

const sql = (text: string, accept = 'application/json'): HeavyQuery => ({
  path: '/v1/sql',
  text,
  headers: { 'content-type': 'application/sql', accept },
});

const json = (path: string, body: object, accept = 'application/json'): HeavyQuery => ({
  path: `/v1/${path}`,
  text: JSON.stringify(body),
  headers: { 'content-type': 'application/json', accept },
});

/** Over the columns `name`, `city`, `note`, `n`, `seen` (event) of the dimension default. */
export const HEAVY_QUERIES: readonly HeavyQuery[] = [
  sql('SELECT name, COUNT(*) AS c FROM [default] GROUP BY name ORDER BY c DESC, name LIMIT 10'),
  sql(
    'SELECT name, note, city, n, COUNT(*), SUM(n), MIN(name), MAX(note) FROM [default] GROUP BY name, note, city, n',
    ARROW,
  ),
  sql('SELECT city, COUNT(DISTINCT name), COUNT(DISTINCT note), MEDIAN(n) FROM [default] GROUP BY city'),
  sql('SELECT COUNT(DISTINCT name), COUNT(DISTINCT note), COUNT(DISTINCT n) FROM [default]'),
  sql('SELECT DISTINCT name, note FROM [default] ORDER BY note DESC, name'),
  sql('SELECT UPPER(note), COUNT(*) FROM [default] GROUP BY UPPER(note)', 'text/csv'),
  sql('SELECT * FROM [default] ORDER BY note, name', ARROW),
  sql('SELECT * FROM [default]', ARROW),
  sql('SELECT * FROM [default]', 'text/csv'),
  sql('SELECT [seen.value], COUNT(*) FROM [default] GROUP BY [seen.value]', 'application/x-ndjson'),
  json('query/aggregation', { query: [{ name: 1000 }, { note: 1000 }, { seen: 1000, between: ALL_TIME }] }),
  json('query/aggregation', { query: [{ city: 1000 }, { name: 1000 }, { n: 'count-distinct' }] }),
  json('query/top_values', { names: { name: 1000 }, notes: { note: 1000 }, seen: { seen: 1000 } }),
  json(
    EXTRACTION,
    {
      columns: ['entity-id', 'name', 'note', 'city', 'n'],
      query: [{ n: { gte: 0 } }],
      limit: 1_000_000,
      order: [{ note: 'desc' }],
    },
    ARROW,
  ),
  json(
    EXTRACTION,
    { columns: ['entity-id', 'name', 'note'], query: [{ n: { gte: 0 } }], limit: 1_000_000 },
    'text/csv',
  ),
];

/** Rejects when there is no answer at all. */
export function take({ httpsPort }: Serving, key: string, query: HeavyQuery): Promise<Taken> {
  const { path, text, headers } = query;
  const options = {
    host: '127.0.0.1',
    port: httpsPort,
    path,
    method: 'POST',
    rejectUnauthorized: false,
    agent: false,
    headers: { authorization: key, 'content-length': Buffer.byteLength(text), ...headers },
  };
  return new Promise((resolve, reject) => {
    const sent = https.request(options, (response) => {
      const status = response.statusCode ?? 0;
      const retained: Buffer[] = [];
      let byteCount = 0;
      response.on('data', (part: Buffer) => {
        byteCount += part.length;
        if (status !== 200) retained.push(part);
      });
      const end = (whole: boolean): void => resolve({ status, code: codeOf(retained), byteCount, whole });
      response.on('end', () => end(true));
      response.on('error', () => end(false));
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

function codeOf(parts: readonly Buffer[]): number | null {
  if (parts.length === 0) return null;
  const { errors } = JSON.parse(Buffer.concat(parts).toString()) as { errors?: readonly { code: number }[] };
  return errors?.[0]?.code ?? null;
}
