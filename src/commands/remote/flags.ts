/**
 * Chooses the server and the key of a command: by flags, by the environment, or by the data directory of a server on this
 * machine, which has the address, the certificate and the key.
 * Invariant: no message contains a key.
 */
import path from 'node:path';
import { requestAdminSocket } from '../../io/index.js';
import {
  type FlagKinds,
  type Flags,
  readStoreConfig,
  type StoreOptionsContext,
  type Wrong,
} from '../admin/admin-options.js';
import type { AdminAnswer, AdminRequest, ServerAddress } from '../admin/admin-request.js';
import type { RemoteAddress } from './client.js';

export const REMOTE_FLAGS = {
  url: { type: 'string' },
  'api-key': { type: 'string' },
  ca: { type: 'string' },
} as const satisfies FlagKinds;

export const REMOTE_HELP = `  --url URL         the server, such as https://db.example:8443 (default: QUARRY_URL, else the server that runs on the data
                    directory, else the address that the options of quarry serve name)
  --api-key KEY     a key of the database, or @FILE for the first line of a file (default: QUARRY_API_KEY, else the
                    database key of the data directory's keys.json)
  --ca FILE         certificate to trust, PEM (default: QUARRY_CA; that of the server that runs on the data directory, or its
                    tls/cert.pem; else the system's)
  --data-dir DIR    the data directory of a server on this machine (default: QUARRY_DATA_DIR, the config file's
                    data-dir, data/store)
  --config FILE     the config file of quarry serve
`;

/** The key of keys.json that a command uses by default. */
export type RemoteKeyKind = 'master-key' | 'write-key' | 'read-key';

export interface RemoteAccess extends RemoteAddress {
  readonly key: string;
}

/** How long the command waits for a busy server's address; then it uses the server's options. */
const ADDRESS_MS_MAX = 5_000;

/** The address of the server on a data directory; null = no server runs there, or it does not answer. */
async function requestAddress(dir: string): Promise<ServerAddress | null> {
  const request: AdminRequest = { do: 'address' };
  const line = await requestAdminSocket(path.resolve(dir), JSON.stringify(request), ADDRESS_MS_MAX).catch(
    () => null,
  );
  if (line === null) return null;
  const answer = JSON.parse(line) as AdminAnswer;
  return answer.answer === 'address' ? answer.address : null;
}

/**
 * Reads the flags. A named file that cannot be read is an error, a missing default file is not. If neither a flag nor the
 * environment names the server, the address is requested from the server on the data directory.
 */
export async function readRemote(
  flags: Flags,
  kind: RemoteKeyKind,
  context: StoreOptionsContext,
  addressOf: typeof requestAddress = requestAddress,
): Promise<RemoteAccess | Wrong> {
  const { env, readText } = context;
  const config = readStoreConfig(flags, context);
  if ('wrong' in config) return config;
  const setting = (flag: keyof typeof REMOTE_FLAGS, variable: string): string | null => {
    const text = flags.get(flag) ?? env[variable];
    return typeof text === 'string' && text !== '' ? text : null;
  };
  const urlSetting = setting('url', 'QUARRY_URL');
  const running = urlSetting === null ? await addressOf(config.dataDir) : null;
  const url = readUrl(urlSetting ?? urlOf(running ?? config));
  if (typeof url !== 'string') return url;
  const own = (name: string): string | null => textOrNull(path.join(config.dataDir, name), readText);
  const caFile = setting('ca', 'QUARRY_CA');
  const certificate =
    caFile === null
      ? (textOrNull(running?.certFile ?? config.cert, readText) ?? own('tls/cert.pem'))
      : textOrNull(caFile, readText);
  if (caFile !== null && certificate === null) return { wrong: `--ca: ${caFile} cannot be read` };
  const key = readKey(setting('api-key', 'QUARRY_API_KEY'), own('keys.json'), kind, readText);
  if (typeof key !== 'string') return key;
  return { url, certificate, key };
}

/** Loopback addresses for servers that listen on every address. */
const REACHABLE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function urlOf({ host, httpsPort }: Pick<ServerAddress, 'host' | 'httpsPort'>): string {
  const name = REACHABLE[host] ?? host;
  return `https://${name.includes(':') ? `[${name}]` : name}:${httpsPort}`;
}

function readUrl(text: string): string | Wrong {
  const wrong = {
    wrong: `--url: expected an address such as https://127.0.0.1:8443, not ${JSON.stringify(text)}`,
  };
  if (!URL.canParse(text)) return wrong;
  const { protocol, host, pathname, search, hash, username } = new URL(text);
  const isPlain = pathname === '/' && search === '' && hash === '' && username === '';
  return isPlain && (protocol === 'https:' || protocol === 'http:') ? `${protocol}//${host}` : wrong;
}

const KEY_TEXT = /^[\x21-\x7e]+$/;

function readKey(
  setting: string | null,
  keysJson: string | null,
  kind: RemoteKeyKind,
  readText: StoreOptionsContext['readText'],
): string | Wrong {
  if (setting?.startsWith('@')) {
    const text = textOrNull(setting.slice(1), readText);
    if (text === null) return { wrong: `--api-key: ${setting.slice(1)} cannot be read` };
    return asKey(text.split(/\r?\n/, 1)[0].trim(), `the first line of ${setting.slice(1)}`);
  }
  if (setting !== null) return asKey(setting, 'the text of --api-key');
  if (keysJson === null) {
    return {
      wrong:
        'a key is required: --api-key, QUARRY_API_KEY, or --data-dir with the keys.json of a local server',
    };
  }
  try {
    return asKey(String(JSON.parse(keysJson).database[kind]), `the ${kind} of keys.json`);
  } catch {
    return {
      wrong:
        'keys.json of the data directory does not have the form that a first start writes; pass a key with --api-key',
    };
  }
}

const asKey = (text: string, what: string): string | Wrong =>
  KEY_TEXT.test(text)
    ? text
    : { wrong: `${what} is not a key: keys consist of letters, digits and signs, without spaces` };

function textOrNull(file: string | null, readText: StoreOptionsContext['readText']): string | null {
  if (file === null) return null;
  try {
    return readText(file);
  } catch {
    return null;
  }
}
