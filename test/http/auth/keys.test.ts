import t from 'tap';
import { keyOf } from '../../../src/http/auth/keys.js';
import { KEYS } from '../fake-engine.js';
import { sendRequest, startFront } from '../harness.js';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

t.test('the key is the whole header, the Bearer token or the Basic password', async (t) => {
  for (const header of [
    'k3y',
    ' k3y ',
    'Bearer k3y',
    'bearer k3y',
    'BEARER   k3y',
    basic('user:k3y'),
    basic(':k3y'),
    basic('ü:k3y').replace('Basic', 'basic  '),
  ]) {
    t.equal(keyOf(header), 'k3y', header);
  }
  t.equal(keyOf(basic('user:a:b')), 'a:b', 'a password may contain colons');
  t.equal(keyOf('Bearerk3y'), 'Bearerk3y', 'a scheme must be followed by a space');
  t.equal(keyOf('Token k3y'), 'Token k3y', 'other schemes are not recognized');
});

t.test(
  'a header without a key yields an empty key, and malformed Basic credentials are refused',
  async (t) => {
    for (const header of ['', ' ', 'Bearer', 'Bearer ', 'Basic', 'Basic ', basic('user:'), basic(':')]) {
      t.throws(() => keyOf(header), { code: 501 }, header);
    }
    for (const header of [basic('k3y'), 'Basic k3y!', 'Basic \u00e9']) {
      t.throws(() => keyOf(header), { code: 502, message: /USER:KEY in Base64/ }, header);
    }
  },
);

t.test('every endpoint accepts the key in each form, and logs name the same caller', async (t) => {
  const front = await startFront(t);
  const forms = [KEYS.master, `Bearer ${KEYS.master}`, basic(`anyone:${KEYS.master}`)];
  for (const Authorization of forms) {
    const reply = await sendRequest(front, { path: '/v1/dimension', headers: { Authorization } });
    t.equal(reply.status, 200, reply.body);
    t.equal(
      (await sendRequest(front, { path: '/v1/dimension', headers: { Authorization: `${Authorization}x` } }))
        .status,
      401,
    );
  }
  const callers = front.logLines.flatMap((line) => /"key":"[^"]*"/.exec(line) ?? []);
  t.equal(new Set(callers).size, 1, 'one caller');
  for (const line of front.logLines) {
    t.notMatch(line, KEYS.master);
    t.notMatch(line, Buffer.from(`anyone:${KEYS.master}`).toString('base64'));
  }
});

t.test('two Authorization headers are refused, whether equal or not', async (t) => {
  const front = await startFront(t);
  for (const second of [KEYS.master, KEYS.read, '', 'Bearer x']) {
    const headers = { Authorization: KEYS.master, authorization: second };
    const { status, body } = await sendRequest(front, { path: '/v1/dimension', headers });
    t.equal(status, 400, body);
    t.match(JSON.parse(body), {
      errors: [{ code: 1503, message: 'the request has several Authorization headers' }],
    });
  }
});
