import t from 'tap';
import { Description } from '../../../src/http/description.js';
import { ENDPOINTS } from '../../../src/http/endpoints.js';
import { apiPage } from '../../../src/openapi/index.js';
import { sentDocument } from '../checker.js';

const description = new Description(ENDPOINTS);
const asked = (path: string, method = 'get') => description.answer({ method, path, overHttps: true });
const page = String(asked('/docs')?.body);

t.test('the page names every endpoint, field, limit and error code', async (t) => {
  const document = sentDocument();
  for (const { path } of ENDPOINTS) t.ok(page.includes(path.replace(/:(\w+)/, '{$1}')), path);
  for (const code of Object.keys(document['x-error-codes'])) t.ok(page.includes(`id="code-${code}"`), code);
  for (const { most } of document['x-limits'])
    t.ok(page.includes(most.toLocaleString('en-US')), String(most));
  const fields = Object.values(document.components.schemas).flatMap(({ properties }) =>
    Object.keys(properties ?? {}),
  );
  for (const field of new Set(fields)) t.ok(page.includes(`<code>${field}</code>`), field);
});

t.test('it asks for nothing but its own style sheet, and every link leads somewhere', async (t) => {
  const sources = [...page.matchAll(/(?:src|href|url)\s*[=(]\s*["']?([^"'\s>)]+)/g)].map(
    ([, target]) => target,
  );
  const outside = sources.filter((target) => !target.startsWith('#') && target !== '/v1/openapi.json');
  t.strictSame(outside, ['/docs/style.css']);
  t.notMatch(page, /<script|style="|\son\w+=/, 'no script, nothing that the policy forbids');
  t.notMatch(String(asked('/docs/style.css')?.body), /url\(|@import/);
  const ids = new Set([...page.matchAll(/id="([^"]+)"/g)].map(([, id]) => id));
  const dead = sources.filter((target) => target.startsWith('#') && !ids.has(target.slice(1)));
  t.strictSame([...new Set(dead)], []);
  const all = [...page.matchAll(/id="([^"]+)"/g)].map(([, id]) => id);
  t.equal(ids.size, all.length, 'no name stands twice');
  for (const tag of ['article', 'section', 'table', 'dl', 'ul', 'pre', 'nav', 'main', 'details']) {
    const opened = page.match(new RegExp(`<${tag}[ >]`, 'g'))?.length ?? 0;
    t.equal(page.match(new RegExp(`</${tag}>`, 'g'))?.length ?? 0, opened, `<${tag}> is closed`);
  }
});

t.test('whatever stands in the document stands in the page as text', async (t) => {
  const document = JSON.parse(
    JSON.stringify(sentDocument()).replaceAll('Count entities', '<img src=x onerror=y>&\\"'),
  );
  t.notMatch(apiPage(document, '/docs/style.css'), /<img/);
});

t.test('they are served over HTTPS, to GET and HEAD', async (t) => {
  for (const path of ['/v1/openapi.json', '/docs', '/docs/style.css']) {
    t.match(asked(path), { status: 200 });
    t.match(asked(path, 'head'), { status: 200 });
    t.throws(() => asked(path, 'post'), { code: 1505 });
    t.throws(() => description.answer({ method: 'get', path, overHttps: false }), { code: 1506 });
  }
  t.equal(asked('/docs/other'), null);
  const headers = new Map(asked('/docs')?.headers);
  t.match(headers.get('Content-Security-Policy'), /default-src 'none'; style-src 'self'/);
});
