import t from 'tap';
import { clientAddress, type ProxyList, parseProxies } from '../../../src/http/transport/proxy.js';

function parsed(...networks: string[]): ProxyList {
  const proxies = parseProxies(networks);
  if ('bad' in proxies) throw new Error(proxies.bad);
  return proxies;
}

t.test('networks and single addresses of IPv4 and IPv6 match', (t) => {
  const proxies = parsed('10.0.0.0/8', '192.168.7.1', 'fd00::/8', '::1');
  for (const address of [
    '10.255.0.1',
    '192.168.7.1',
    'fd12::1',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:10.0.0.1',
  ]) {
    t.equal(proxies.has(address), true, address);
  }
  for (const address of ['11.0.0.1', '192.168.7.2', 'fe80::1', '::2', '', 'x', '10.0.0']) {
    t.equal(proxies.has(address), false, address);
  }
  t.equal(parsed().has('127.0.0.1'), false);
  t.end();
});

t.test('an entry that is not a network is reported', (t) => {
  for (const bad of [
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0/8',
    'localhost',
    '10.0.0.0/',
    '1.2.3.4/8/9',
    '1.2.3.4/-1',
  ]) {
    t.strictSame(parseProxies(['127.0.0.1', bad]), { bad });
  }
  t.end();
});

t.test('the client is the last hop that is not a trusted proxy', (t) => {
  const proxies = parsed('10.0.0.0/8');
  const cases: readonly [string, string][] = [
    ['', '10.0.0.1'],
    ['203.0.113.9', '203.0.113.9'],
    ['6.6.6.6, 203.0.113.9', '203.0.113.9'],
    ['203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['6.6.6.6, 203.0.113.9,10.0.0.2 , 10.3.0.2', '203.0.113.9'],
    ['10.0.0.7', '10.0.0.7'],
    ['evil"text', '10.0.0.1'],
    ['1.1.1.1, evil, 10.0.0.2', '10.0.0.2'],
    ['203.0.113.9:5678', '203.0.113.9'],
    ['6.6.6.6:1, 203.0.113.9:65535, 10.0.0.2:80', '203.0.113.9'],
    ['[2001:db8::7]:5678', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['2001:db8::7', '2001:db8::7'],
    ['203.0.113.9, [::ffff:10.0.0.2]:80', '203.0.113.9'],
    ['203.0.113.9:65536', '10.0.0.1'],
    ['203.0.113.9:', '10.0.0.1'],
    ['203.0.113.9:80:80', '10.0.0.1'],
    ['203.0.113:80', '10.0.0.1'],
    ['[203.0.113.9]:80', '10.0.0.1'],
    ['[2001:db8::7', '10.0.0.1'],
    ['[]:80', '10.0.0.1'],
    ['203.0.113.9:5678, :80', '10.0.0.1'],
  ];
  for (const [header, client] of cases) t.equal(clientAddress(proxies, '10.0.0.1', header), client, header);
  t.end();
});
