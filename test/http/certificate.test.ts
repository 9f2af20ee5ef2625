import { X509Certificate } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { ensureCertificate } from '../../src/http/index.js';
import { NodeFileSystem } from '../../src/io/index.js';

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
  t.ok(certificate.verify(certificate.publicKey), 'signed by itself');
  const years = (Date.parse(certificate.validTo) - NOW_MS) / YEAR_MS;
  t.ok(Math.abs(years - 10) < 0.01, `${years} years`);
  t.equal(fs.statSync(made.keyFile).mode & 0o777, 0o600);
});

t.test('a pair is kept while it is good and made anew when it is not', async (t) => {
  const dir = t.testdir();
  const files = new NodeFileSystem();
  const { certFile, keyFile } = await ensureCertificate(files, dir, NOW_MS);
  const read = (): string => fs.readFileSync(certFile, 'utf8') + fs.readFileSync(keyFile, 'utf8');
  const first = read();
  await ensureCertificate(files, dir, NOW_MS + 9.9 * YEAR_MS);
  t.equal(read(), first, 'still valid');
  await ensureCertificate(files, dir, NOW_MS + 10.1 * YEAR_MS);
  const second = read();
  t.not(second, first, 'expired');
  fs.writeFileSync(certFile, first.slice(0, 300));
  await ensureCertificate(files, dir, NOW_MS);
  const third = read();
  t.not(third, second, 'broken');
  fs.rmSync(keyFile);
  await ensureCertificate(files, dir, NOW_MS);
  t.not(read(), third, 'key missing');
  t.equal(fs.statSync(keyFile).mode & 0o777, 0o600);
});
