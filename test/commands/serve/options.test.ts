import t from 'tap';
import { environmentNameOf, helpText, type Machine, OPTIONS } from '../../../src/commands/serve/options.js';

const MACHINE: Machine = { cpuCount: 6, memoryBytes: 1000 * 2 ** 20 };

function parse(name: string, text: string): unknown {
  const option = OPTIONS.find((entry) => entry.name === name);
  if (option === undefined) throw new Error(`no option ${name}`);
  const parsed = option.parse(text, MACHINE);
  return 'wrong' in parsed ? `wrong: ${parsed.wrong}` : parsed.value;
}

t.test('option names are unique and give flags and environment variables of one form', (t) => {
  const names = OPTIONS.map((option) => option.name);
  t.equal(new Set(names).size, names.length);
  for (const option of OPTIONS) {
    t.match(option.name, /^[a-z]+(-[a-z]+)*$/);
    t.match(environmentNameOf(option), /^QUARRY_[A-Z_]+$/);
  }
  t.end();
});

t.test('every default is a valid value of its own option', (t) => {
  for (const option of OPTIONS) {
    const text = option.fallback?.(MACHINE) ?? null;
    if (text !== null) t.notMatch(String(parse(option.name, text)), /^wrong/, option.name);
  }
  t.end();
});

t.test('memory is given in bytes, in decimal or binary units, or as a percentage', (t) => {
  const sizes: readonly [string, number][] = [
    ['123456789', 123_456_789],
    ['4GiB', 4 * 2 ** 30],
    ['4gib', 4 * 2 ** 30],
    ['1.5 GiB', 1.5 * 2 ** 30],
    ['8GB', 8e9],
    ['512MiB', 512 * 2 ** 20],
    ['2TiB', 2 * 2 ** 40],
    ['70%', 700 * 2 ** 20],
    ['12.5%', 125 * 2 ** 20],
    ['100%', 1000 * 2 ** 20],
  ];
  for (const [text, bytes] of sizes) t.equal(parse('memory-limit', text), bytes, text);
  for (const text of ['', 'much', '4 G', '-1GiB', '101%', '1e9', '10', '0%', '9999999PiB', '1.2.3MB']) {
    t.match(parse('memory-limit', text), /^wrong: /, text);
  }
  t.end();
});

t.test('ports, counts, choices and networks are checked', (t) => {
  t.equal(parse('https-port', '0'), 0);
  t.equal(parse('https-port', '65535'), 65_535);
  for (const text of ['65536', '-1', '80.5', 'http', '', '0x50'])
    t.match(parse('https-port', text), /^wrong/, text);
  t.match(parse('workers', '0'), /^wrong/);
  t.match(parse('shards', '1025'), /^wrong/);
  t.equal(parse('query-timeout', '86400'), 86_400);
  for (const text of ['0', '86401', '0.5', '']) t.match(parse('query-timeout', text), /^wrong/, text);
  t.equal(parse('idempotency-entries', '10000000'), 10_000_000);
  for (const text of ['0', '10000001', '1e6']) t.match(parse('idempotency-entries', text), /^wrong/, text);
  t.strictSame(
    [parse('slow-query', 'off'), parse('slow-query', '0'), parse('slow-query', '250')],
    ['off', 0, 250],
  );
  for (const text of ['-1', '1s', '', 'on', '86400001']) t.match(parse('slow-query', text), /^wrong/, text);
  t.match(parse('audit-log', ''), /^wrong/);
  t.equal(parse('durability', 'interval'), 'interval');
  t.match(parse('durability', 'always'), 'wrong: expected one of fsync, interval, none');
  t.strictSame(parse('trust-proxy', '10.0.0.0/8, ::1'), ['10.0.0.0/8', '::1']);
  t.match(parse('trust-proxy', '10.0.0.0/8,nowhere'), 'not "nowhere"');
  t.match(parse('data-dir', ''), /^wrong/);
  t.end();
});

t.test('the help text names every option with its default', (t) => {
  const help = helpText();
  for (const option of OPTIONS) t.match(help, `--${option.name}`);
  for (const text of ['data/store', '8443', '8080', '127.0.0.1', '70%', 'fsync', 'spec', 'info']) {
    t.match(help, `(default: ${text})`);
  }
  t.notMatch(help, 'default: false');
  t.end();
});
