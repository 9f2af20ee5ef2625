import t from 'tap';
import {
  type ConfigContext,
  type ReadConfig,
  readOptions,
} from '../../../src/commands/serve/serve-config.js';
import { SPEC_LIMITS } from '../../../src/http/index.js';

const FILES: Readonly<Record<string, string>> = {
  'quarry.toml':
    'https-port = 1111\nhttp-port = 1112\nlog-level = "warn"\ntrust-proxy = ["10.0.0.0/8", "::1"]\n',
  'unknown.toml': 'https-prot = 1\n',
  'nested.toml': '[server]\nhost = "x"\n',
  'wrong-type.toml': 'https-port = true\n',
  'wrong-value.toml': 'durability = "sometimes"\n',
  'no.toml': 'https-port = = 1\n',
  'self.toml': 'config = "quarry.toml"\n',
  'limits.toml': 'entities-per-minute = 7\n[requests-per-minute]\n"POST /v1/sql" = 1000\n',
  'wrong-limits.toml': '[queries-per-minute]\nhuge = 1\n',
  'limited.toml': 'limits = "wrong-limits.toml"\n',
  'cert.pem': 'certificate',
  'key.pem': 'key',
};

const CONTEXT: ConfigContext = {
  machine: { cpuCount: 3, memoryBytes: 10 * 2 ** 30 },
  readText: (path) => {
    const text = FILES[path];
    if (text === undefined) throw new Error(`ENOENT: no such file, open '${path}'`);
    return text;
  },
};

function read(argv: string[], env: Record<string, string> = {}): ReadConfig {
  const outcome = readOptions(argv, env, CONTEXT);
  if ('error' in outcome) throw new Error(outcome.error);
  return outcome;
}

function faultOf(argv: string[], env: Record<string, string> = {}): string {
  const outcome = readOptions(argv, env, CONTEXT);
  if (!('error' in outcome)) throw new Error(`taken: ${argv.join(' ')}`);
  if (outcome.exitCode !== 2) throw new Error(`exit code ${outcome.exitCode}`);
  return outcome.error;
}

t.test('without options the defaults apply', (t) => {
  t.strictSame(read([]), {
    action: 'serve',
    warnings: [],
    text: read([]).text,
    config: {
      dataDir: 'data/store',
      host: '127.0.0.1',
      httpsPort: 8443,
      httpPort: 8080,
      pgPort: null,
      pgAuth: 'password',
      workers: 3,
      shards: null,
      memoryLimitBytes: 7 * 2 ** 30,
      durability: 'fsync',
      archiveDir: null,
      limits: SPEC_LIMITS,
      spillBytesMax: 16 * 2 ** 30,
      idempotencyEntries: 1_000_000,
      lineKeys: 10_000_000,
      querySeconds: 30,
      cert: null,
      key: null,
      trustProxy: [],
      inlets: [],
      logLevel: 'info',
      slowQueryMs: 1_000,
      auditLog: null,
    },
  });
  t.end();
});

t.test('flags override the environment, the environment the file, and the file the defaults', (t) => {
  const env = { QUARRY_HTTP_PORT: '2222', QUARRY_HTTPS_PORT: '2221', QUARRY_CONFIG: 'quarry.toml' };
  const { config } = read(['--https-port', '3333'], env);
  t.equal(config.httpsPort, 3333, 'flag');
  t.equal(config.httpPort, 2222, 'environment');
  t.equal(config.logLevel, 'warn', 'file');
  t.equal(config.host, '127.0.0.1', 'default');
  t.strictSame(config.trustProxy, ['10.0.0.0/8', '::1']);
  t.equal(
    read(['--config', 'no-proxies.toml', '--config=quarry.toml']).config.httpPort,
    1112,
    'the last flag wins',
  );
  t.end();
});

t.test(
  'flags take their value after a space or an equals sign, and repeated flags of lists accumulate',
  (t) => {
    const { config } = read([
      '--data-dir=/a=b',
      '--limits',
      'off',
      '--trust-proxy',
      '10.0.0.0/8',
      '--trust-proxy=::1,1.2.3.4',
    ]);
    t.equal(config.dataDir, '/a=b');
    t.equal(config.limits, null);
    t.strictSame(config.trustProxy, ['10.0.0.0/8', '::1', '1.2.3.4']);
    t.end();
  },
);

t.test('an unknown option stops the start and is named, with the nearest name as a suggestion', (t) => {
  t.equal(faultOf(['--https-prot', '1']), 'unknown flag --https-prot; did you mean --https-port?');
  t.equal(faultOf(['--xyzzyxyzzy']), 'unknown flag --xyzzyxyzzy');
  t.equal(faultOf(['serve']), 'unexpected argument "serve"');
  t.equal(faultOf(['-h']), 'unexpected argument "-h"');
  t.equal(
    faultOf(['--config', 'unknown.toml']),
    'unknown key "https-prot" in unknown.toml; did you mean https-port?',
  );
  t.match(faultOf(['--config', 'nested.toml']), 'unknown key "server" in nested.toml');
  t.match(faultOf(['--config', 'self.toml']), 'unknown key "config" in self.toml');
  t.end();
});

t.test('the message about a wrong value names its source', (t) => {
  t.match(faultOf(['--https-port', '70000']), /^--https-port: .*"70000"/);
  t.match(faultOf(['--https-port']), '--https-port: PORT is missing');
  t.match(faultOf(['--print-config=yes']), '--print-config: the flag takes no value');
  t.match(faultOf([], { QUARRY_WORKERS: 'two' }), /^QUARRY_WORKERS: .*"two"/);
  t.match(faultOf(['--config', 'wrong-type.toml']), 'https-port in wrong-type.toml');
  t.match(faultOf(['--config', 'wrong-value.toml']), 'durability in wrong-value.toml: expected one of');
  t.match(faultOf(['--config', 'no.toml']), /^--config: no\.toml: /);
  t.match(faultOf(['--config', 'absent.toml']), 'absent.toml');
  t.match(faultOf(['--cert', 'cert.pem']), '--cert: requires key too');
  t.match(faultOf(['--key', 'key.pem']), '--key: requires cert too');
  t.match(faultOf(['--cert', 'absent.pem', '--key', 'key.pem']), '--cert: absent.pem cannot be read');
  t.match(faultOf(['--limits', 'absent.toml']), '--limits: absent.toml cannot be read');
  t.equal(read(['--cert', 'cert.pem', '--key', 'key.pem']).config.cert, 'cert.pem');
  t.end();
});

t.test('a limits file is read and checked with the options, and shown', (t) => {
  const shown = read(['--limits', 'limits.toml', '--print-config']);
  t.strictSame(shown.config.limits, {
    ...SPEC_LIMITS,
    entitiesPerMinute: 7,
    requestsPerMinute: new Map([['POST /v1/sql', 1000]]),
  });
  t.match(shown.text, 'limits = "limits.toml" # --limits\n');
  t.match(shown.text, '#   entities-per-minute = 7\n');
  t.match(shown.text, '#   mega = 6000\n');
  t.match(shown.text, '#   "POST /v1/sql" = 1000\n');
  t.notMatch(read(['--print-config']).text, 'entities-per-minute', 'default limits are not printed');
  const wrong = 'queries-per-minute: unknown plan "huge"; the plans are normal, high, ultra, mega';
  t.equal(
    faultOf(['--limits', 'wrong-limits.toml', '--check-config']),
    `--limits: wrong-limits.toml: ${wrong}`,
  );
  t.equal(
    faultOf(['--config', 'limited.toml']),
    `limits in limited.toml: wrong-limits.toml: ${wrong}`,
    'the message names the source of the option',
  );
  t.end();
});

t.test('an unknown environment variable that begins with QUARRY_ causes a warning and no error', (t) => {
  const others = {
    QUARRY_CACHE_DIR: '/tmp',
    QUARRY_KERNELS: 'js',
    QUARRY_URL: 'https://db:1',
    QUARRY_API_KEY: 'k',
  };
  t.strictSame(read([], others).warnings, []);
  t.strictSame(read([], { QUARRY_DURABILTY: 'none', PATH: '/bin' }).warnings, [
    'the environment variable QUARRY_DURABILTY is not an option and is ignored; did you mean QUARRY_DURABILITY?',
  ]);
  t.end();
});

t.test('the printed configuration names its sources and is read back unchanged', (t) => {
  const first = read(['--workers', '2', '--print-config'], {
    QUARRY_HOST: '::1',
    QUARRY_CONFIG: 'quarry.toml',
  });
  t.equal(first.action, 'print-config');
  t.match(first.text, 'workers = 2 # --workers\n');
  t.match(first.text, 'host = "::1" # QUARRY_HOST\n');
  t.match(first.text, 'http-port = 1112 # http-port in quarry.toml\n');
  t.match(first.text, 'durability = "fsync" # default\n');
  t.match(first.text, '# shards is not set\n');
  const again = readOptions(['--config', 'printed.toml'], {}, { ...CONTEXT, readText: () => first.text });
  t.ok('config' in again);
  if ('config' in again) t.strictSame(again.config, first.config);
  t.end();
});

t.test('the switches choose the action', (t) => {
  t.equal(read(['--check-config']).action, 'check-config');
  t.equal(read(['--help', '--https-port', '1']).action, 'help');
  t.equal(read([], { QUARRY_HELP: 'true' }).action, 'serve', 'switches are flags only');
  t.end();
});

t.test('the log of slow queries can be off, and the printed config reads back the same', (t) => {
  for (const [text, slowQueryMs] of [
    ['off', null],
    ['0', 0],
    ['250', 250],
  ] as const) {
    const { config, text: printed } = read(['--slow-query', text, '--audit-log', 'a.log']);
    t.strictSame([config.slowQueryMs, config.auditLog], [slowQueryMs, 'a.log']);
    t.match(printed, `slow-query = ${JSON.stringify(slowQueryMs ?? 'off')} # --slow-query`);
  }
  t.end();
});
