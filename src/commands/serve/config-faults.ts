/** Checks combinations of options before a server is started. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import path from 'node:path';
import { isWithin } from '../within.js';
import type { ServeConfig } from './serve-config.js';

type Faulty = Pick<ServeConfig, 'cert' | 'key' | 'archiveDir' | 'dataDir'>;

/** Returns the error; null = none. Throws when a file cannot be read. */
export const configError = (config: Faulty, readText: (file: string) => string): string | null =>
  archiveError(config) ?? pairError(config, readText);

/** Folders of the data directory in which the server removes unknown files. */
const OWN_FOLDERS = ['log', 'snapshot', 'spool', 'tls'];

function archiveError({ archiveDir, dataDir }: Faulty): string | null {
  if (archiveDir === null) return null;
  const isOwn =
    path.resolve(archiveDir) === path.resolve(dataDir) ||
    OWN_FOLDERS.some((name) => isWithin(path.join(dataDir, name), archiveDir));
  return isOwn ? `--archive-log: ${archiveDir} is a folder that the data directory uses itself` : null;
}

function pairError({ cert, key }: Faulty, readText: (file: string) => string): string | null {
  if (cert === null || key === null) return null;
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(readText(cert));
  } catch (error) {
    return `--cert: ${cert} holds no PEM certificate: ${(error as Error).message}`;
  }
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(readText(key));
  } catch (error) {
    return `--key: ${key} holds no PEM private key, or one with a passphrase: ${(error as Error).message}`;
  }
  if (certificate.checkPrivateKey(privateKey)) return null;
  return `--key: ${key} does not belong to the certificate ${cert}`;
}
