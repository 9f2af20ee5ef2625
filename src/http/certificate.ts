/**
 * The self-signed pair that HTTPS uses when none is given: DIR/tls/cert.pem and DIR/tls/key.pem (mode 0600).
 * It names localhost, 127.0.0.1 and ::1, is valid for 10 years, and is made anew when it has expired or when one of
 * the files is missing or unreadable as what it should be.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import path from 'node:path';
import type { FileSystem } from '../io/index.js';

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

const VALID_YEARS = 10;
const DAY_MS = 86_400_000;
/** Lets clients whose clock is a little behind trust a fresh certificate. */
const BACKDATED_MS = DAY_MS;

/** `dir` is the data directory. */
export async function ensureCertificate(
  files: FileSystem,
  dir: string,
  nowMs: number,
): Promise<CertificateFiles> {
  const tlsDir = path.join(dir, 'tls');
  const made = { certFile: path.join(tlsDir, 'cert.pem'), keyFile: path.join(tlsDir, 'key.pem') };
  if (await isUsable(files, made, nowMs)) return made;
  // Half a megabyte of code that only a first start needs.
  // Of a bundled CommonJS package an import on demand has the default alone.
  const { default: selfsigned } = await import('selfsigned');
  const notBeforeDate = new Date(nowMs - BACKDATED_MS);
  const notAfterDate = new Date(nowMs);
  notAfterDate.setUTCFullYear(notAfterDate.getUTCFullYear() + VALID_YEARS);
  const pair = await selfsigned.generate([{ name: 'commonName', value: 'localhost' }], {
    notBeforeDate,
    notAfterDate,
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  await files.makeDir(tlsDir);
  await files.writeFile(made.keyFile, Buffer.from(pair.private), 0o600);
  await files.writeFile(made.certFile, Buffer.from(pair.cert), 0o644);
  await files.syncDir(tlsDir);
  return made;
}

/** Whether both files are there, belong together and are valid now. Rejects with the disk's own errors. */
async function isUsable(files: FileSystem, pair: CertificateFiles, nowMs: number): Promise<boolean> {
  if (!(await files.exists(pair.certFile)) || !(await files.exists(pair.keyFile))) return false;
  const certText = await files.readFile(pair.certFile);
  const keyText = await files.readFile(pair.keyFile);
  try {
    const certificate = new X509Certificate(certText);
    const key = createPrivateKey(Buffer.from(keyText));
    return certificate.checkPrivateKey(key) && Date.parse(certificate.validTo) > nowMs;
  } catch {
    return false;
  }
}
