import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import t from 'tap';
import { secretsOfKey } from '../../../src/catalog/index.js';
import { ProtocolError } from '../../../src/pg/protocol/errors.js';
import { ScramExchange } from '../../../src/pg/protocol/scram.js';

const [OWN, OTHER] = ['the key of the client', 'another key'];
const FIRST = 'n,,n=any,r=client-nonce';

/** The second message of a client that knows `text`, by RFC 5802. */
function proofOf(text: string, serverFirst: string, header = 'n,,'): string {
  const [nonce, salt, iterations] = serverFirst.split(',').map((field) => field.slice(2));
  const salted = pbkdf2Sync(text, Buffer.from(salt, 'base64'), Number(iterations), 32, 'sha256');
  const clientKey = createHmac('sha256', salted).update('Client Key').digest();
  const storedKey = createHash('sha256').update(clientKey).digest();
  const withoutProof = `c=${Buffer.from(header).toString('base64')},r=${nonce}`;
  const signed = `n=any,r=client-nonce,${serverFirst},${withoutProof}`;
  const signature = createHmac('sha256', storedKey).update(signed).digest();
  return `${withoutProof},p=${Buffer.from(clientKey.map((byte, at) => byte ^ signature[at])).toString('base64')}`;
}

/** The SQLSTATE of the error that `run` throws. */
function stateOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ProtocolError) return error.state;
    throw error;
  }
  return 'none';
}

t.test('a proof finds its key among others, and the reply proves that the server knows it', async (t) => {
  const keys = [OTHER, OWN].map(secretsOfKey);
  const exchange = new ScramExchange('server-nonce');
  const serverFirst = exchange.first(FIRST);
  t.match(serverFirst, /^r=client-nonceserver-nonce,s=[A-Za-z0-9+/=]+,i=4096$/);
  const outcome = exchange.final(proofOf(OWN, serverFirst), keys);
  t.equal(outcome?.hash, keys[1].hash);
  t.match(outcome?.reply, /^v=[A-Za-z0-9+/]{43}=$/);
  t.equal(exchange.final(proofOf('no key', serverFirst), keys), null);
  t.equal(exchange.final(proofOf(OWN, serverFirst), []), null);
  t.not(keys[0].scram.storedKey, keys[1].scram.storedKey);
});

t.test('a proof for one exchange is no proof for another', async (t) => {
  const keys = [secretsOfKey(OWN)];
  const [one, two] = [new ScramExchange('nonce-1'), new ScramExchange('nonce-2')];
  const proof = proofOf(OWN, one.first(FIRST));
  two.first(FIRST);
  t.equal(
    stateOf(() => two.final(proof, keys)),
    '08P01',
  );
  t.ok(one.final(proof, keys));
});

t.test('malformed messages, channel binding and another header are refused', async (t) => {
  for (const message of [
    '',
    'n,,',
    'n,,n=any',
    'n,,n=any,r=',
    'p=tls-server-end-point,,n=any,r=x',
    'n,a=x,n=y,r=z',
    'n,,n=any,r=a b',
  ]) {
    t.equal(
      stateOf(() => new ScramExchange('s').first(message)),
      '08P01',
      message,
    );
  }
  const exchange = new ScramExchange('s');
  const serverFirst = exchange.first(FIRST);
  const keys = [secretsOfKey(OWN)];
  for (const message of [
    '',
    'c=biws',
    'c=biws,r=client-nonces,p=',
    'c=biws,r=client-nonces,p=AAAA',
    proofOf(OWN, serverFirst, 'y,,'),
  ]) {
    t.equal(
      stateOf(() => exchange.final(message, keys)),
      '08P01',
      message,
    );
  }
});
