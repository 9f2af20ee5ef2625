import t from 'tap';
import { Quarry } from '../../src/client/index.js';

/** A client whose requests are answered with these streams, one after the other, and the requests. */
function following(streams: readonly (readonly string[] | { readonly refusal: number })[]) {
  const requests: { readonly path: string; readonly lastId: string | null }[] = [];
  const quarry = new Quarry({
    url: 'https://quarry.example',
    key: 'key',
    retries: 0,
    fetch: async (url, { headers }) => {
      const { pathname, search } = new URL(url);
      requests.push({ path: pathname + search, lastId: new Headers(headers).get('last-event-id') });
      const stream = streams[requests.length - 1];
      if ('refusal' in stream) {
        const body = { errors: [{ code: stream.refusal, message: 'no' }], status: 'error' };
        return new Response(JSON.stringify(body), { status: 400 });
      }
      const encoder = new TextEncoder();
      let at = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          const part = stream[at++];
          if (part === undefined) controller.close();
          else if (part === 'breaks') controller.error(new Error('reset'));
          else controller.enqueue(encoder.encode(part));
        },
      });
      return new Response(body);
    },
  });
  return { quarry, requests };
}

t.test('answers are read in any parts, and the stream is opened again after the last one', async (t) => {
  const { quarry, requests } = following([
    [
      'retry: 1000\n\nid: 7\nda',
      'ta: {"a":1}\n',
      '\n:\n\nid: 9\ndata: {"a":\ndata: "\u00e9"}\n\nid: 10\ndata: {"a"',
      'breaks',
    ],
    [
      'event: delayed\ndata: {"code":9005}\n\nid: 12\ndata: {"a":9007199254740993}\n\n',
      'event: end\ndata: {"reason":"key"}\n\n',
    ],
    { refusal: 4023 },
  ]);
  const found: unknown[] = [];
  const follow = async (): Promise<void> => {
    for await (const live of quarry.followSaved('a b', { minIntervalMs: 500, afterLsn: 3 })) found.push(live);
  };
  await t.rejects(follow(), { code: 4023 }, 'a refusal ends the loop');
  t.strictSame(found, [
    { lsn: 7, answer: { a: 1 } },
    { lsn: 9, answer: { a: '\u00e9' } },
    { lsn: 12, answer: { a: 9007199254740993n } },
  ]);
  t.strictSame(
    requests,
    ['3', '9', '12'].map((lastId) => ({ path: '/v1/query/saved/a%20b/live?min-interval=500', lastId })),
  );
});

t.test('the signal of the caller ends the loop', async (t) => {
  const { quarry, requests } = following([['id: 1\ndata: {}\n\n']]);
  const controller = new AbortController();
  const follow = async (): Promise<void> => {
    for await (const _ of quarry.followInserts({ signal: controller.signal }))
      controller.abort(new Error('enough'));
  };
  await t.rejects(follow(), { message: 'enough' });
  t.strictSame(requests, [{ path: '/v1/status/live', lastId: null }]);
});
