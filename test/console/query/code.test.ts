/** Requests as code. */
import { execFileSync } from 'node:child_process';
import t from 'tap';
import { type CodeLanguage, codeOf as codeWith, languagesOf } from '../../../src/console/query/code.js';
import { sqlOfAll } from '../../../src/console/query/sql-text.js';
import { MODEL } from '../model.js';

type Requests = Parameters<typeof languagesOf>[0];

const codeOf = (requests: Requests, language: CodeLanguage, url: string): string =>
  codeWith(requests, sqlOfAll(requests, MODEL), language, url);
const URL_OF_SERVER = 'https://127.0.0.1:8443';
const funnel = { method: 'POST', path: '/v1/query/funnel', body: `{"steps":[],"name":"it's"}` } as const;
const sql = {
  method: 'POST',
  path: '/v1/sql',
  body: `SELECT [entity-id], 'it''s [x]' FROM [default]`,
} as const;

t.test('the languages are those that can express every request', async (t) => {
  const names = (requests: Requests) =>
    languagesOf(requests, sqlOfAll(requests, MODEL)).map(({ text }) => text);
  t.strictSame(names([funnel, funnel]), ['JSON', 'SQL', 'curl', 'TypeScript', 'psql']);
  t.strictSame(names([sql]), ['SQL', 'curl', 'TypeScript', 'psql']);
  t.strictSame(names([{ method: 'GET', path: '/v1/unknown' }]), ['JSON', 'curl']);
});

t.test('the shell reads the same body from the curl command', async (t) => {
  const code = codeOf([funnel], 'curl', URL_OF_SERVER);
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${code}`;
  const words = execFileSync('bash', ['-c', script], { env: { KEY: 'k' } })
    .toString()
    .split('\0');
  t.ok(words.includes(`${URL_OF_SERVER}/v1/query/funnel`));
  t.ok(words.includes('Authorization: k'));
  t.strictSame(JSON.parse(words[words.indexOf('--data-binary') + 1]), JSON.parse(funnel.body));
});

t.test('psql gets names in double quotes, and texts as they are', async (t) => {
  const code = codeOf([sql], 'psql', URL_OF_SERVER).replace(/^.* psql/, 'psql');
  const script = `psql() { printf '%s' "\${@: -1}"; }; ${code}`;
  t.equal(execFileSync('bash', ['-c', script]).toString(), `SELECT "entity-id", 'it''s [x]' FROM "default"`);
});

t.test('the client has a call for each request', async (t) => {
  const saved = { method: 'GET', path: '/v1/query/saved/a-b' } as const;
  const total = {
    method: 'POST',
    path: '/v1/query/count/entity/total',
    body: '{"dimensions":["a"]}',
  } as const;
  const code = codeOf([saved, total, sql], 'client', URL_OF_SERVER);
  t.match(code, 'quarry.askSaved("a-b")');
  t.match(code, 'quarry.total(["a"])');
  t.match(code, `quarry.sql(${JSON.stringify(sql.body)})`);
  t.notMatch(codeOf([saved], 'curl', URL_OF_SERVER), '-X');
});
