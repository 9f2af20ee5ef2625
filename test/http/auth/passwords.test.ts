import t from 'tap';
import { QuarryError } from '../../../src/base/index.js';
import { PasswordHasher } from '../../../src/http/auth/passwords.js';

/** Returns different bytes at every call, and the same sequence in every run. */
function countingBytes(): (count: number) => Uint8Array {
  let calls = 0;
  return (count) => new Uint8Array(count).fill(++calls);
}

/** A derivation that the test completes, and that records how many ran at once. */
function blockedDerivation() {
  const ends: (() => void)[] = [];
  const seen = { running: 0, runningMax: 0, started: 0 };
  const derive = async (): Promise<Buffer> => {
    seen.started++;
    seen.runningMax = Math.max(seen.runningMax, ++seen.running);
    await new Promise<void>((resolve) => ends.push(resolve));
    seen.running--;
    return Buffer.alloc(32);
  };
  return { derive, seen, endOne: () => ends.shift()?.() };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('a hash matches its own password and no other', async (t) => {
  const passwords = new PasswordHasher();
  const stored = await passwords.hash('correct horse', countingBytes());
  t.match(stored, /^scrypt\$15\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  t.notMatch(stored, /correct|horse/);
  t.equal(await passwords.fits('correct horse', stored), true);
  for (const other of ['correct hors', 'Correct horse', 'correct horse ', '']) {
    t.equal(await passwords.fits(other, stored), false, other);
  }
});

t.test('composed and decomposed letters of a password are equivalent', async (t) => {
  const passwords = new PasswordHasher();
  const stored = await passwords.hash('caf\u00e9 au lait', countingBytes());
  t.equal(await passwords.fits('cafe\u0301 au lait', stored), true);
});

t.test('hashing the same password twice yields different texts', async (t) => {
  const passwords = new PasswordHasher();
  const random = countingBytes();
  t.not(await passwords.hash('same password', random), await passwords.hash('same password', random));
});

t.test('a hash is checked with the parameters that it contains', async (t) => {
  const passwords = new PasswordHasher();
  const { scryptSync } = await import('node:crypto');
  const salt = Buffer.from('0123456789abcdef');
  const hash = scryptSync('old password', salt, 32, { N: 2 ** 10, r: 4, p: 1 }).toString('base64url');
  const stored = `scrypt$10$4$1$${salt.toString('base64url')}$${hash}`;
  t.equal(await passwords.fits('old password', stored), true);
  t.equal(await passwords.fits('new password', stored), false);
});

t.test('a hash with parameters that scrypt does not accept is malformed', async (t) => {
  const passwords = new PasswordHasher();
  for (const parameters of ['99$8$3', '0$8$3', '21$8$3', '15$0$3', '15$99$3', '15$8$0', '15$8$99']) {
    t.equal(await passwords.fits('x', `scrypt$${parameters}$aa$bb`), false, parameters);
  }
  for (const parameters of ['10$2$1', '10$2$16', '16$2$1']) {
    t.equal(await passwords.fits('x', `scrypt$${parameters}$aa$bb`), false, parameters);
  }
});

t.test('a missing or malformed hash matches no password, and still costs a derivation', async (t) => {
  const made: string[] = [];
  const passwords = new PasswordHasher(async (password) => {
    made.push(password);
    return Buffer.alloc(32);
  });
  const broken = [null, '', 'plain', 'scrypt$15$8$3$$', 'bcrypt$15$8$3$aa$bb'];
  for (const stored of broken) t.equal(await passwords.fits('x', stored), false, String(stored));
  t.equal(made.length, broken.length);
});

t.test('two hashes are computed at a time and a hundred wait', async (t) => {
  const { derive, seen, endOne } = blockedDerivation();
  const passwords = new PasswordHasher(derive);
  const all: Promise<unknown>[] = [];
  for (let index = 0; index < 102; index++) all.push(passwords.fits('x', null));
  await t.rejects(passwords.fits('x', null), new QuarryError(9003, 'too many passwords at once'));
  await settle();
  t.equal(seen.started, 2);
  // A request that arrives in the turn in which a slot is freed must not overtake the waiting requests.
  for (let ended = 0; ended < 150; ended++) {
    endOne();
    for (let turn = 0; turn < 6; turn++) {
      if (all.length < 150) all.push(passwords.fits('x', null).catch(() => {}));
      await Promise.resolve();
    }
    await settle();
  }
  await Promise.all(all);
  t.equal(seen.runningMax, 2);
  t.equal(seen.running, 0);
});

t.test('a failed derivation frees its slot', async (t) => {
  let fail = true;
  const passwords = new PasswordHasher(async () => {
    if (fail) throw new Error('no memory');
    return Buffer.alloc(32);
  });
  for (let index = 0; index < 5; index++) await t.rejects(passwords.fits('x', null), /no memory/);
  fail = false;
  t.equal(await passwords.fits('x', null), false);
});
