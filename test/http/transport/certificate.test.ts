import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import selfsigned from 'selfsigned';
import t from 'tap';
import { ensureCertificate } from '../../../src/http/index.js';
import { NodeFileSystem } from '../../../src/io/index.js';

const NOW_MS = Date.UTC(2026, 0, 15);
const YEAR_MS = 365.25 * 86_400_000;

t.test('a self-signed pair names this machine for ten years and hides its key', async (t) => {
  const dir = t.testdir();
  const made = await ensureCertificate(new NodeFileSystem(), dir, NOW_MS);
  t.strictSame(made, { certFile: path.join(dir, 'tls/cert.pem'), keyFile: path.join(dir, 'tls/key.pem') });
  const certificate = new X509Certificate(fs.readFileSync(made.certFile));
  t.equal(certificate.checkHost('localhost'), 'localhost');
  t.equal(certificate.checkIP('127.0.0.1'), '127.0.0.1');
  t.equal(certificate.checkIP('::1'), '::1');
  t.ok(certificate.verify(certificate.publicKey), 'the certificate is self-signed');
  const years = (Date.parse(certificate.validTo) - NOW_MS) / YEAR_MS;
  t.ok(Math.abs(years - 10) < 0.01, `${years} years`);
  t.equal(fs.statSync(made.keyFile).mode & 0o777, 0o600);
});

/** Certificate and key as they are on disk; null = the file is missing. */
const contents = ({ certFile, keyFile }: { certFile: string; keyFile: string }): (string | null)[] =>
  [certFile, keyFile].map((file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null));

t.test('a valid pair is kept; an expired certificate is replaced by one for the same key', async (t) => {
  const dir = t.testdir();
  const files = new NodeFileSystem();
  const pair = await ensureCertificate(files, dir, NOW_MS);
  const first = contents(pair);
  await ensureCertificate(files, dir, NOW_MS + 9.9 * YEAR_MS);
  t.strictSame(contents(pair), first, 'still valid');
  await ensureCertificate(files, dir, NOW_MS + 10.1 * YEAR_MS);
  const second = contents(pair);
  t.not(second[0], first[0], 'expired');
  t.equal(second[1], first[1], 'the same key');
  t.ok(new X509Certificate(String(second[0])).checkPrivateKey(createPrivateKey(String(second[1]))));
  t.equal(fs.statSync(pair.keyFile).mode & 0o777, 0o600);
  fs.rmSync(pair.certFile);
  fs.rmSync(pair.keyFile);
  await ensureCertificate(files, dir, NOW_MS);
  t.not(contents(pair)[0], second[0], 'both were removed');
});

t.test(
  'an incomplete, unreadable or mismatched pair fails the start, and its files are named and not changed',
  async (t) => {
    const other = await ensureCertificate(new NodeFileSystem(), t.testdir(), NOW_MS);
    const [otherCert] = contents(other);
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    });
    const spoilers: Readonly<Record<string, (pair: { certFile: string; keyFile: string }) => void>> = {
      'CERT is not a certificate': ({ certFile }) => fs.truncateSync(certFile, 300),
      'KEY is not a private key': ({ keyFile }) => fs.writeFileSync(keyFile, ''),
      'KEY is missing next to CERT': ({ keyFile }) => fs.rmSync(keyFile),
      'CERT is missing next to KEY': ({ certFile, keyFile }) => {
        fs.rmSync(certFile);
        fs.writeFileSync(keyFile, rsa);
      },
      'KEY is not the key of CERT': ({ certFile }) => fs.writeFileSync(certFile, String(otherCert)),
    };
    for (const [fault, spoil] of Object.entries(spoilers)) {
      const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-tls-'));
      t.teardown(() => fs.rmSync(dir, { recursive: true }));
      const files = new NodeFileSystem();
      const pair = await ensureCertificate(files, dir, NOW_MS);
      spoil(pair);
      const before = contents(pair);
      const wanted = fault.replace('CERT', pair.certFile).replace('KEY', pair.keyFile);
      for (const nowMs of [NOW_MS, NOW_MS + 11 * YEAR_MS]) {
        await t.rejects(ensureCertificate(files, dir, nowMs), {
          message: `${wanted}: put the right file there, or remove both for a new self-signed pair`,
        });
      }
      t.strictSame(contents(pair), before, fault);
    }
  },
);

t.test('an expired certificate that is not self-signed fails the start', async (t) => {
  const dir = t.testdir();
  const files = new NodeFileSystem();
  const pair = await ensureCertificate(files, dir, NOW_MS);
  const key = contents(pair)[1] ?? '';
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' });
  const { cert } = await selfsigned.generate([{ name: 'commonName', value: 'db.example' }], {
    ...{ keyType: 'ec', curve: 'P-256', algorithm: 'sha256' },
    ...{ notBeforeDate: new Date(NOW_MS), notAfterDate: new Date(NOW_MS + 86_400_000) },
    keyPair: { privateKey: key, publicKey: String(publicKey) },
  });
  fs.writeFileSync(pair.certFile, cert);
  await ensureCertificate(files, dir, NOW_MS);
  await t.rejects(ensureCertificate(files, dir, NOW_MS + YEAR_MS), {
    message: /cert\.pem expired on Jan 16/,
  });
  t.strictSame(contents(pair), [cert, key]);
});

t.test(
  'a first start that was interrupted between the two files is completed by the next start',
  async (t) => {
    const dir = t.testdir();
    const files = new NodeFileSystem();
    const pair = await ensureCertificate(files, dir, NOW_MS);
    const [, key] = contents(pair);
    fs.rmSync(pair.certFile);
    fs.writeFileSync(`${pair.certFile}.new`, 'half');
    await ensureCertificate(files, dir, NOW_MS);
    t.equal(contents(pair)[1], key);
    t.ok(new X509Certificate(contents(pair)[0] ?? '').checkPrivateKey(createPrivateKey(key ?? '')));
    t.strictSame(fs.readdirSync(path.dirname(pair.certFile)).sort(), ['cert.pem', 'key.pem']);
  },
);
