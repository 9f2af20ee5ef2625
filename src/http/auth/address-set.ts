/**
 * A set of networks and addresses.
 * Invariant: an IPv4 address written as IPv6 (::ffff:1.2.3.4) equals its IPv4 form.
 */
import { BlockList, isIP } from 'node:net';
import { isNetwork } from '../../api/index.js';

export class AddressSet {
  readonly #list = new BlockList();

  static of(addresses: readonly string[]): AddressSet {
    const set = new AddressSet();
    for (const address of addresses) set.add(address);
    return set;
  }

  /** Adds a network such as 10.0.0.0/8 or fd00::/8, or a single address; false if `text` is neither. */
  add(text: string): boolean {
    if (!isNetwork(text)) return false;
    const [address, prefix] = text.split('/');
    const [family, bits] = isIP(address) === 4 ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
    this.#list.addSubnet(address, prefix === undefined ? bits : Number(prefix), family);
    return true;
  }

  /** True if `address` is in one of the networks; false if it is not an address. */
  has(address: string): boolean {
    const version = isIP(address);
    return version !== 0 && this.#list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  }
}

/** The network that counts as one client: an IPv4 address, or the /64 network of an IPv6 address. */
export function clientNetwork(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  const isIPv4 = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  return (isIPv4 ? groups : groups.slice(0, 4)).join(':');
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const zone = address.indexOf('%');
  const text = zone === -1 ? address : address.slice(0, zone);
  const gap = text.indexOf('::');
  if (gap === -1) return groupsIn(text);
  const [head, tail] = [groupsIn(text.slice(0, gap)), groupsIn(text.slice(gap + 2))];
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** The groups of a part without `::`. A part may end with an IPv4 address, which is two groups. */
function groupsIn(part: string): number[] {
  if (part === '') return [];
  const groups: number[] = [];
  for (const group of part.split(':')) {
    if (group.includes('.')) {
      const [a, b, c, d] = group.split('.').map(Number);
      groups.push(a * 256 + b, c * 256 + d);
    } else groups.push(Number.parseInt(group, 16));
  }
  return groups;
}
