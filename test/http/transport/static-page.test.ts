import t from 'tap';
import { StaticPage } from '../../../src/http/transport/static-page.js';

const BYTES = { plain: Buffer.from('plain'), br: Buffer.from('of br'), gzip: Buffer.from('of gzip') };
const { plain, br, gzip } = BYTES;
const HEAD = { contentType: 'text/html', policy: "default-src 'none'", caching: 'no-cache' };
const page = new StaticPage({ ...HEAD, plain, packed: { br, gzip } });

function fetchPage(acceptEncoding: string, ifNoneMatch = '', of = page) {
  const request = { method: 'get', path: '/docs', overHttps: true };
  const { status, body, headers } = of.answer({ ...request, acceptEncoding, ifNoneMatch });
  const sent = new Map(headers);
  return { status, text: String(body), etag: sent.get('ETag') ?? '', encoding: sent.get('Content-Encoding') };
}

t.test(
  'the encoding is the one with the highest weight; on a tie br precedes gzip and gzip precedes identity',
  async (t) => {
    const cases: readonly (readonly [string, keyof typeof BYTES])[] = [
      ['', 'plain'],
      ['gzip', 'gzip'],
      ['gzip, deflate, br, zstd', 'br'],
      ['br;q=0.5, gzip;q=0.8', 'gzip'],
      ['gzip;q=0.8, br;q=0.8', 'br'],
      ['GZIP;Q=0.8 , br ; q=0', 'gzip'],
      ['gzip;q=0.000, br;q=0', 'plain'],
      ['gzip;q=0.001', 'gzip'],
      ['identity, gzip;q=0.5', 'plain'],
      ['identity, gzip', 'gzip'],
      ['*', 'br'],
      ['*;q=0.5, gzip', 'gzip'],
      ['br;q=0, *;q=0.1', 'gzip'],
      ['gzip, *;q=0', 'gzip'],
      ['*;q=0', 'plain'],
      ['zstd', 'plain'],
      ['gzip;q=often', 'gzip'],
    ];
    for (const [accepted, wanted] of cases) {
      const { status, text, encoding } = fetchPage(accepted);
      t.strictSame(
        [status, text, encoding],
        [200, String(BYTES[wanted]), wanted === 'plain' ? undefined : wanted],
        accepted,
      );
    }
    const unpacked = new StaticPage({ ...HEAD, plain, packed: {} });
    t.match(fetchPage('br, gzip', '', unpacked), { text: 'plain', encoding: undefined });
  },
);

t.test('each encoding has a strong ETag of its own', async (t) => {
  const tags = ['', 'br', 'gzip'].map((accepted) => fetchPage(accepted).etag);
  t.equal(new Set(tags).size, 3);
  for (const tag of tags) t.match(tag, /^"[\w-]+"$/);
  t.equal(fetchPage('br', tags[1]).status, 304);
  t.equal(fetchPage('br', `W/${tags[1]}, "other"`).status, 304, 'a tag that a proxy weakened matches');
  t.equal(fetchPage('br', tags[2]).status, 200, 'the tag of other bytes');
  const other = new StaticPage({ ...HEAD, plain: Buffer.from('other'), packed: { br, gzip } });
  t.equal(fetchPage('', tags[0], other).status, 200);
});
