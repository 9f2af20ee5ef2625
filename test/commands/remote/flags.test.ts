/** How a command finds its server and its key: in flags, the environment or the data directory. */
import t from 'tap';
import { readArguments } from '../../../src/commands/admin/admin-options.js';
import type { ServerAddress } from '../../../src/commands/admin/admin-request.js';
import { REMOTE_FLAGS, type RemoteKeyKind, readRemote } from '../../../src/commands/remote/index.js';

const KEYS = JSON.stringify({
  'team-key': 'team',
  database: { 'master-key': 'm', 'write-key': 'w', 'read-key': 'r' },
});
const FILES: Readonly<Record<string, string>> = {
  'data/store/keys.json': KEYS,
  'data/store/tls/cert.pem': 'OWN',
  'other/keys.json': '{}',
  'own/keys.json': KEYS,
  'own/tls/cert.pem': 'OWN-TLS',
  '/etc/cert.pem': 'OF-FLAG',
  'ca.pem': 'CA',
  'key.txt': 'from-file\nsecond line\n',
  'empty.txt': '',
  'quarry.toml': 'data-dir = "data/store"\nhttps-port = 9443\nhost = "::"\n',
};

/** The addresses of running servers, by data directory. */
const RUNNING: Readonly<Record<string, ServerAddress>> = {
  own: { host: '0.0.0.0', httpsPort: 1234, certFile: '/etc/cert.pem' },
};

async function read(words: string[], env: Record<string, string> = {}, kind: RemoteKeyKind = 'read-key') {
  const line = readArguments(words, REMOTE_FLAGS);
  if ('wrong' in line) return line;
  const context = {
    env,
    machine: { cpuCount: 2, memoryBytes: 2 ** 30 },
    readText: (path: string) => {
      const text = FILES[path];
      if (text === undefined) throw new Error(`${path} is not there`);
      return text;
    },
  };
  return readRemote(line.flags, kind, context, async (dir) => RUNNING[dir] ?? null);
}

t.test('the server that runs on the data directory is used, unless a flag names another', async (t) => {
  const own = ['--data-dir', 'own', '--config', 'quarry.toml'];
  t.strictSame(await read(own), { url: 'https://127.0.0.1:1234', certificate: 'OF-FLAG', key: 'r' });
  t.match(await read([...own, '--ca', 'ca.pem']), { url: 'https://127.0.0.1:1234', certificate: 'CA' });
  t.strictSame(await read([...own, '--url', 'https://a:1']), {
    url: 'https://a:1',
    certificate: 'OWN-TLS',
    key: 'r',
  });
  t.match(await read(own, { QUARRY_URL: 'https://b:2' }), { url: 'https://b:2' });
});

t.test('without flags the server is that of the data directory', async (t) => {
  t.strictSame(await read([]), { url: 'https://127.0.0.1:8443', certificate: 'OWN', key: 'r' });
  t.strictSame(await read([], {}, 'write-key'), {
    url: 'https://127.0.0.1:8443',
    certificate: 'OWN',
    key: 'w',
  });
  t.strictSame(await read(['--config', 'quarry.toml'], {}, 'master-key'), {
    url: 'https://[::1]:9443',
    certificate: 'OWN',
    key: 'm',
  });
});

t.test('flags override the environment, and the environment overrides the data directory', async (t) => {
  const env = { QUARRY_URL: 'https://db.example:1', QUARRY_API_KEY: 'of-env', QUARRY_CA: 'ca.pem' };
  t.strictSame(await read([], env), { url: 'https://db.example:1', certificate: 'CA', key: 'of-env' });
  const flags = ['--url', 'http://10.0.0.1:8080/', '--api-key', '@key.txt', '--data-dir', 'absent'];
  t.strictSame(await read(flags), { url: 'http://10.0.0.1:8080', certificate: null, key: 'from-file' });
  t.strictSame(await read(flags, env), { url: 'http://10.0.0.1:8080', certificate: 'CA', key: 'from-file' });
});

t.test('the wrong option is named, and no message contains a key', async (t) => {
  const wrong = async (words: string[], about: RegExp): Promise<void> => {
    const outcome = await read(words);
    t.ok('wrong' in outcome, words.join(' '));
    if (!('wrong' in outcome)) return;
    t.match(outcome.wrong, about);
    t.notMatch(outcome.wrong, /secret/);
  };
  await wrong(['--url', 'db.example'], /--url: expected an address such as/);
  await wrong(['--url', 'ftp://db.example'], /--url: expected an address such as/);
  await wrong(['--url', 'https://db.example/v1'], /--url: expected an address such as/);
  await wrong(['--ca', 'absent.pem'], /--ca: absent.pem cannot be read/);
  await wrong(['--api-key', '@absent'], /--api-key: absent cannot be read/);
  await wrong(['--api-key', '@empty.txt'], /the first line of empty.txt is not a key/);
  await wrong(['--api-key', 'secret with\nline'], /the text of --api-key is not a key/);
  await wrong(['--data-dir', 'absent'], /a key is required: --api-key/);
  await wrong(['--data-dir', 'other'], /keys.json of the data directory does not have the form/);
  await wrong(['--https-port', '1'], /Unknown option '--https-port'/);
});
