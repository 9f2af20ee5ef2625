/** Requests as code: JSON as it is sent, and programs for curl, the client and psql. Keys are variables, never written. */
import type { ServerRequest } from '../server/client.js';

export type CodeLanguage = 'json' | 'sql' | 'curl' | 'client' | 'psql';

const SQL_PATH = '/v1/sql';

/** Methods of the client by the path of the request. */
const METHODS: Readonly<Record<string, string>> = {
  '/v1/query/count/entity': 'count',
  '/v1/query/count/event': 'countEvents',
  '/v1/query/aggregation': 'aggregate',
  '/v1/query/top_values': 'topValues',
  '/v1/query/funnel': 'funnel',
  '/v1/query/retention': 'retention',
  '/v1/query/lifecycle': 'lifecycle',
  '/v1/query/stickiness': 'stickiness',
  '/v1/query/actives': 'actives',
  '/v1/query/sequence': 'sequence',
  '/v1/query/sessions': 'sessions',
  '/v1/query/flow': 'flow',
  '/v1/query/overlap': 'overlap',
  '/v1/query/compare': 'compare',
  '/v1/query/timeline': 'timeline',
  '/v1/data_extraction/result': 'extract',
  '/v1/data_extraction/score': 'score',
};
const SAVED_PATH = '/v1/query/saved/';

const NAMES: Readonly<Record<CodeLanguage, string>> = {
  json: 'JSON',
  sql: 'SQL',
  curl: 'curl',
  client: 'TypeScript',
  psql: 'psql',
};

export interface NamedLanguage {
  readonly name: CodeLanguage;
  readonly text: string;
}

const isSql = (requests: readonly ServerRequest[]): boolean =>
  requests.every(({ path }) => path === SQL_PATH);

/** The languages that can express all requests, the one in which they are sent first. `sql`: the requests as SQL; null = no SQL. */
export function languagesOf(
  requests: readonly ServerRequest[],
  sql: string | null,
): readonly [NamedLanguage, ...NamedLanguage[]] {
  const named = (name: CodeLanguage): NamedLanguage => ({ name, text: NAMES[name] });
  const hasMethod = requests.every((request) => clientCall(request) !== null);
  return [
    named(isSql(requests) ? 'sql' : 'json'),
    ...(sql === null || isSql(requests) ? [] : [named('sql')]),
    named('curl'),
    ...(hasMethod ? [named('client')] : []),
    ...(sql === null ? [] : [named('psql')]),
  ];
}

/** `url` is the address of the server, such as `https://127.0.0.1:8443`. */
export function codeOf(
  requests: readonly ServerRequest[],
  sql: string | null,
  language: CodeLanguage,
  url: string,
): string {
  if (language === 'json') return requests.map(plainText).join('\n\n');
  if (language === 'sql') return sql ?? '';
  if (language === 'curl') return requests.map((request) => curlText(request, url)).join('\n\n');
  if (language === 'psql') return psqlText(sql ?? '', new URL(url).hostname);
  const calls = requests.map((request) => `console.log(await quarry.${clientCall(request)});`);
  const start = `import { Quarry } from 'quarry/client';\n\nconst quarry = new Quarry({ url: '${url}', key: process.env.KEY });\n`;
  return start + calls.join('\n');
}

function plainText({ method, path, body }: ServerRequest): string {
  return body === undefined ? `${method} ${path}` : `${method} ${path}\n${readable(body)}`;
}

/** The text with line breaks, if it is JSON. */
export function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** A text as one word of a shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curlText({ method, path, body }: ServerRequest, url: string): string {
  const type = path === SQL_PATH ? 'application/sql' : 'application/json';
  const start = `curl -s --cacert store/tls/cert.pem -H "Authorization: $KEY" ${shellWord(url + path)}`;
  if (body === undefined) return method === 'GET' ? start : `${start} -X ${method}`;
  const text = path === SQL_PATH ? body : readable(body);
  return `${start} \\\n  -H 'Content-Type: ${type}' \\\n  --data-binary ${shellWord(text)}`;
}

/** SQL over the Postgres protocol quotes names in another way; texts between single quotes remain as they are. */
const quotedForPostgres = (sql: string): string =>
  sql.replace(/('(?:[^']|'')*')|\[([^\]]*)\]/g, (_, text?: string, name?: string) =>
    text !== undefined ? text : `"${name}"`,
  );

const psqlText = (sql: string, host: string): string =>
  `PGPASSWORD="$KEY" PGSSLMODE=require psql -h ${host} -p 5432 -U any -d quarry -c ${shellWord(quotedForPostgres(sql))}`;

/** The call of a method of the client; null if the client has none for the request. */
function clientCall({ method, path, body }: ServerRequest): string | null {
  if (path === SQL_PATH && body !== undefined) return `sql(${JSON.stringify(body)})`;
  if (path.startsWith(SAVED_PATH) && method === 'GET') {
    return `askSaved(${JSON.stringify(decodeURIComponent(path.slice(SAVED_PATH.length)))})`;
  }
  const name = METHODS[path];
  if (path === '/v1/query/count/entity/total' && body !== undefined) return totalCall(body);
  return name === undefined || body === undefined ? null : `${name}(${readable(body)})`;
}

function totalCall(body: string): string | null {
  try {
    const { dimensions } = JSON.parse(body) as { readonly dimensions?: unknown };
    return `total(${JSON.stringify(dimensions)})`;
  } catch {
    return null;
  }
}
