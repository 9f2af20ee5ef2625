import t from 'tap';
import { AddressSet, clientNetwork } from '../../../src/http/auth/address-set.js';

t.test('networks and single addresses of IPv4 and IPv6 match, also IPv4 addresses in IPv6 form', (t) => {
  const set = AddressSet.of(['10.1.0.0/16', '192.0.2.7', '2001:db8::/32', '::1', '::ffff:198.51.100.9']);
  const inside = [
    '10.1.255.255',
    '::ffff:10.1.2.3',
    '0000:0000:0000:0000:0000:ffff:0a01:0203',
    '192.0.2.7',
    '2001:db8:1::1',
    '2001:0DB8:0000:0000:0000:0000:0000:0001',
    '0000:0000:0000:0000:0000:0000:0000:0001',
    '198.51.100.9',
  ];
  const outside = ['10.2.0.0', '192.0.2.8', '::ffff:10.2.0.0', '2001:db9::1', '::2', '198.51.100.8', '', 'x'];
  t.strictSame(
    inside.filter((address) => !set.has(address)),
    [],
  );
  t.strictSame(
    outside.filter((address) => set.has(address)),
    [],
  );
  t.end();
});

t.test('an entry that is neither a network nor an address is rejected', (t) => {
  const set = new AddressSet();
  const refused = [
    '',
    'example.org',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '::/129',
    '10.0.0/8',
    '1.2.3.4/x',
    'fe80::1%eth0',
  ];
  t.strictSame(
    refused.filter((text) => set.add(text)),
    [],
  );
  t.equal(set.has('10.0.0.0'), false);
  t.end();
});

t.test('a client is an IPv4 address in any notation, or an IPv6 network of 64 bits', (t) => {
  t.equal(clientNetwork('192.0.2.7'), '192.0.2.7');
  t.equal(clientNetwork(''), '');
  t.equal(
    clientNetwork('::ffff:192.0.2.7'),
    clientNetwork('0000:0000:0000:0000:0000:ffff:c000:0207'),
    'both forms of an address inside IPv6',
  );
  t.not(clientNetwork('::ffff:192.0.2.7'), clientNetwork('::ffff:192.0.2.8'));
  const same = ['2001:db8:0:1::1', '2001:0db8:0000:0001:ffff:ffff:ffff:ffff', '2001:DB8:0:1:2::'];
  t.equal(new Set(same.map(clientNetwork)).size, 1);
  t.not(clientNetwork('2001:db8:0:2::1'), clientNetwork(same[0]));
  t.equal(clientNetwork('fe80::1%eth0'), clientNetwork('fe80::2'));
  t.equal(clientNetwork('::1'), '0:0:0:0');
  t.equal(clientNetwork('64:ff9b::192.0.2.7'), clientNetwork('64:ff9b::'), 'another prefix before IPv4');
  t.equal(clientNetwork('1:2:3:4:5:6:7::'), clientNetwork('1:2:3:4::'));
  t.end();
});
