/** Where a command finds its server and its key: flags, environment, data directory. */
import t from 'tap';
import { readWords } from '../../../src/commands/admin-options.js';
import { type KeyKind, REMOTE_FLAGS, readRemote } from '../../../src/commands/remote/index.js';

const KEYS = JSON.stringify({
  'team-key': 'team',
  database: { 'master-key': 'm', 'write-key': 'w', 'read-key': 'r' },
});
const FILES: Readonly<Record<string, string>> = {
  'data/store/keys.json': KEYS,
  'data/store/tls/cert.pem': 'OWN',
  'other/keys.json': '{}',
  'ca.pem': 'CA',
  'key.txt': 'from-file\nsecond line\n',
  'empty.txt': '',
  'quarry.toml': 'data-dir = "data/store"\nhttps-port = 9443\nhost = "::"\n',
};

function read(words: string[], env: Record<string, string> = {}, kind: KeyKind = 'read-key') {
  const line = readWords(words, REMOTE_FLAGS);
  if ('wrong' in line) return line;
  return readRemote(line.flags, kind, {
    env,
    machine: { cpuCount: 2, memoryBytes: 2 ** 30 },
    readText: (path) => {
      const text = FILES[path];
      if (text === undefined) throw new Error(`${path} is not there`);
      return text;
    },
  });
}

t.test('without flags the server is the one of the data directory', async (t) => {
  t.strictSame(read([]), { url: 'https://127.0.0.1:8443', certificate: 'OWN', key: 'r' });
  t.strictSame(read([], {}, 'write-key'), { url: 'https://127.0.0.1:8443', certificate: 'OWN', key: 'w' });
  t.strictSame(read(['--config', 'quarry.toml'], {}, 'master-key'), {
    url: 'https://[::1]:9443',
    certificate: 'OWN',
    key: 'm',
  });
});

t.test('flags go before the environment, and this before the data directory', async (t) => {
  const env = { QUARRY_URL: 'https://db.example:1', QUARRY_API_KEY: 'of-env', QUARRY_CA: 'ca.pem' };
  t.strictSame(read([], env), { url: 'https://db.example:1', certificate: 'CA', key: 'of-env' });
  const flags = ['--url', 'http://10.0.0.1:8080/', '--api-key', '@key.txt', '--data-dir', 'absent'];
  t.strictSame(read(flags), { url: 'http://10.0.0.1:8080', certificate: null, key: 'from-file' });
  t.strictSame(read(flags, env), { url: 'http://10.0.0.1:8080', certificate: 'CA', key: 'from-file' });
});

t.test('what is wrong is named, and no key stands in a message', async (t) => {
  const wrong = (words: string[], about: RegExp): void => {
    const outcome = read(words);
    t.ok('wrong' in outcome, words.join(' '));
    if (!('wrong' in outcome)) return;
    t.match(outcome.wrong, about);
    t.notMatch(outcome.wrong, /secret/);
  };
  wrong(['--url', 'db.example'], /--url: an address such as/);
  wrong(['--url', 'ftp://db.example'], /--url: an address such as/);
  wrong(['--url', 'https://db.example/v1'], /--url: an address such as/);
  wrong(['--ca', 'absent.pem'], /--ca: absent.pem cannot be read/);
  wrong(['--api-key', '@absent'], /--api-key: absent cannot be read/);
  wrong(['--api-key', '@empty.txt'], /the first line of empty.txt is no key/);
  wrong(['--api-key', 'secret with\nline'], /the text of --api-key is no key/);
  wrong(['--data-dir', 'absent'], /a key is wanted: --api-key/);
  wrong(['--data-dir', 'other'], /keys.json of the data directory is not what/);
  wrong(['--https-port', '1'], /Unknown option '--https-port'/);
});
