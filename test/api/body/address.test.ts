import t from 'tap';
import { isLookedUp, readAddresses } from '../../../src/api/body/address.js';
import { RequestBody } from '../../../src/api/body/request-body.js';
import type { Json } from '../../../src/api/index.js';
import { newKeyFields } from '../../../src/interface/index.js';
import { json } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

function read(body: Json): readonly string[] {
  const { codes, properties } = newKeyFields;
  const list = { 'addresses-whitelist': properties['addresses-whitelist'] };
  return RequestBody.of({ codes, properties: list }, body).read((fields) =>
    readAddresses(fields, ['before']),
  );
}

const readList = (entries: readonly string[]): readonly string[] =>
  read(json(JSON.stringify({ 'addresses-whitelist': entries })));

const label = 'a'.repeat(63);
const NETWORKS = [
  '1.2.3.4',
  '0.0.0.0/0',
  '10.0.0.0/8',
  '10.1.2.3/32',
  '::1',
  'fd00::/8',
  '::/0',
  '::ffff:1.2.3.4/128',
];
const HOSTS = [
  'localhost',
  'example.org',
  'a.b-c.d',
  '1.2.3.x',
  'xn--bcher-kva.example',
  `${label}.${label}.${label}.${'b'.repeat(61)}`,
];

t.test('addresses, networks and host names are accepted, host names in lower case', (t) => {
  for (const entry of [...NETWORKS, ...HOSTS]) t.strictSame(readList([entry]), [entry], entry);
  t.strictSame(readList(['Example.ORG', 'FD00::1']), ['example.org', 'fd00::1']);
  t.end();
});

t.test('only host names have to be looked up', (t) => {
  t.strictSame(NETWORKS.filter(isLookedUp), []);
  t.strictSame(HOSTS.filter(isLookedUp), HOSTS);
  t.end();
});

t.test('an entry that is neither an address, a network nor a host name is refused and named', (t) => {
  const bad = [
    ...[
      '',
      ' ',
      '1.2.3',
      '256.1.1.1',
      '1.2.3.4.5',
      '12345',
      '1.2.3.4/33',
      '1.2.3.4/',
      '1.2.3.4/-1',
      '1.2.3.4/a',
    ],
    ...[
      '1.2.3.4/8/8',
      '::1/129',
      ':::1',
      'fe80::1%eth0',
      '[::1]',
      '1.2.3.4:80',
      'http://example.org',
      'a/b',
      '*.org',
    ],
    ...[
      '-a.org',
      'a-.org',
      'a..org',
      '.org',
      'org.',
      'a_b.org',
      'bücher.example',
      'a b.org',
      'example.org/8',
    ],
    ...[`a${label}.org`, `${label}.${label}.${label}.${'b'.repeat(62)}`, 'example.123', '1.2.3.4\n'],
    // Resolvers read the first as a number; the second has a letter that becomes ASCII in lower case.
    ...['0x7f000001', 'a.0X7f', '\u212aelvin.org'],
  ];
  for (const entry of bad) {
    assertRefusals(
      t,
      [[entry, JSON.stringify({ 'addresses-whitelist': [entry] }), 8000, 'at [0], which is not an address']],
      read,
    );
  }
  t.end();
});

t.test('a whitelist is a list of at most 100 texts; absent and null change nothing, [] empties it', (t) => {
  const entries = Array.from({ length: 101 }, (_, index) => `10.0.0.${index}`);
  t.equal(readList(entries.slice(1)).length, 100);
  t.strictSame(read(json('{}')), ['before']);
  t.strictSame(read(json('{"addresses-whitelist":null}')), ['before']);
  t.strictSame(readList([]), []);
  t.strictSame(readList(['::1', 'a', '::1']), ['::1', 'a']);
  const refusals: readonly Refusal[] = [
    ['a text', '{"addresses-whitelist":"::1"}', 8000, 'must be a list, not a string'],
    ['an object', '{"addresses-whitelist":{}}', 8000, 'must be a list, not an object'],
    ['a number inside', '{"addresses-whitelist":[5]}', 8000, 'a number at [0]'],
    ['null inside', '{"addresses-whitelist":["::1",null]}', 8000, 'null at [1]'],
    ['101 entries', JSON.stringify({ 'addresses-whitelist': entries }), 8000, 'more than 100'],
  ];
  assertRefusals(t, refusals, read);
  assertAllRefusals(t, () => readList(['?', '::1', '!']), [
    [8000, '"?" at [0]'],
    [8000, '"!" at [2]'],
  ]);
  t.end();
});
