/**
 * The self-signed pair that HTTPS uses when no certificate is configured: DIR/tls/cert.pem and DIR/tls/key.pem (mode 0600).
 * It names localhost, 127.0.0.1 and ::1 and is valid for 10 years.
 * Invariants: an existing key is never replaced. A certificate is replaced only by a new one for the same key, if it has expired
 * and was made here. Any other pair that cannot be used stops the start with an error that names the file. Files are written
 * whole, the key first, so an interrupted start leaves nothing, or a key for which the next start makes the certificate.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from 'node:crypto';
import path from 'node:path';
import type { FileSystem } from '../../io/index.js';

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

const VALID_YEARS = 10;
const DAY_MS = 86_400_000;
/** Lets clients whose clock is a little behind trust a fresh certificate. */
const BACKDATED_MS = DAY_MS;
const HOST = 'localhost';
const ADDRESSES = ['127.0.0.1', '::1'] as const;
/** The curve of new keys, by its names in node:crypto and Web Crypto. */
const CURVE = 'prime256v1';
const CURVE_NAME = 'P-256';

/** `dir` is the data directory. */
export async function ensureCertificate(
  files: FileSystem,
  dir: string,
  nowMs: number,
): Promise<CertificateFiles> {
  const tlsDir = path.join(dir, 'tls');
  const pair = { certFile: path.join(tlsDir, 'cert.pem'), keyFile: path.join(tlsDir, 'key.pem') };
  await files.makeDir(tlsDir);
  const key = (await readKey(files, pair)) ?? (await makeKey(files, pair));
  if (await isUsable(files, pair, key, nowMs)) return pair;
  await writeWhole(files, pair.certFile, await certificateFor(key, nowMs), 0o644);
  return pair;
}

/** null = neither file exists. Rejects with an Error that names the file if the key is missing or cannot be used. */
async function readKey(
  files: FileSystem,
  { certFile, keyFile }: CertificateFiles,
): Promise<KeyObject | null> {
  if (await files.exists(keyFile)) {
    const text = Buffer.from(await files.readFile(keyFile));
    return parsed(() => createPrivateKey(text), `${keyFile} is not a private key`);
  }
  if (await files.exists(certFile)) throw refusal(`${keyFile} is missing next to ${certFile}`);
  return null;
}

async function makeKey(files: FileSystem, { keyFile }: CertificateFiles): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: CURVE });
  await writeWhole(files, keyFile, String(privateKey.export({ type: 'pkcs8', format: 'pem' })), 0o600);
  return privateKey;
}

/**
 * True if the certificate is valid now; false = a new one must be made. Rejects with an Error that names the file if the pair
 * cannot be used but was not made here, and with the errors of the file system.
 */
async function isUsable(
  files: FileSystem,
  { certFile, keyFile }: CertificateFiles,
  key: KeyObject,
  nowMs: number,
): Promise<boolean> {
  const isOwnKey = key.asymmetricKeyDetails?.namedCurve === CURVE;
  if (!(await files.exists(certFile))) {
    if (isOwnKey) return false;
    throw refusal(`${certFile} is missing next to ${keyFile}`);
  }
  const text = await files.readFile(certFile);
  const certificate = parsed(() => new X509Certificate(text), `${certFile} is not a certificate`);
  if (!certificate.checkPrivateKey(key)) throw refusal(`${keyFile} is not the key of ${certFile}`);
  if (Date.parse(certificate.validTo) > nowMs) return true;
  if (isOwnKey && isOwn(certificate)) return false;
  throw refusal(`${certFile} expired on ${certificate.validTo}`);
}

/** True if `certificateFor` made the certificate. */
function isOwn(certificate: X509Certificate): boolean {
  const named = [certificate.checkHost(HOST), ...ADDRESSES.map((address) => certificate.checkIP(address))];
  const nameCount = certificate.subjectAltName?.split(', ').length;
  return (
    certificate.subject === `CN=${HOST}` &&
    certificate.verify(certificate.publicKey) &&
    nameCount === named.length &&
    named.every((name) => name !== undefined)
  );
}

/** As PEM. */
async function certificateFor(key: KeyObject, nowMs: number): Promise<string> {
  // Imported on demand: half a megabyte of code that only a first start needs.
  // A dynamic import of a bundled CommonJS package has only the default export.
  const { default: selfsigned } = await import('selfsigned');
  const notAfterDate = new Date(nowMs);
  notAfterDate.setUTCFullYear(notAfterDate.getUTCFullYear() + VALID_YEARS);
  const { cert } = await selfsigned.generate([{ name: 'commonName', value: HOST }], {
    notBeforeDate: new Date(nowMs - BACKDATED_MS),
    notAfterDate,
    keyType: 'ec',
    curve: CURVE_NAME,
    algorithm: 'sha256',
    keyPair: {
      privateKey: String(key.export({ type: 'pkcs8', format: 'pem' })),
      publicKey: String(createPublicKey(key).export({ type: 'spki', format: 'pem' })),
    },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [{ type: 2, value: HOST }, ...ADDRESSES.map((ip) => ({ type: 7 as const, ip }))],
      },
    ],
  });
  return cert;
}

/** Writes a second file and renames it, so that an interrupted write leaves the file unchanged. */
async function writeWhole(files: FileSystem, file: string, text: string, mode: number): Promise<void> {
  const unfinished = `${file}.new`;
  await files.writeFile(unfinished, Buffer.from(text), mode);
  await files.rename(unfinished, file);
  await files.syncDir(path.dirname(file));
}

function parsed<T>(parse: () => T, reason: string): T {
  try {
    return parse();
  } catch {
    throw refusal(reason);
  }
}

const refusal = (reason: string): Error =>
  new Error(`${reason}: put the right file there, or remove both for a new self-signed pair`);
