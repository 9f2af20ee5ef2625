/**
 * Which peers are trusted proxies, and what a request that came through one says of its client.
 * Invariant: the X-Forwarded headers of any other peer are never looked at.
 */
import { BlockList, isIP } from 'node:net';

export interface ProxyList {
  /** Whether `address` (text, IPv4 or IPv6) lies in one of the trusted networks. */
  has(address: string): boolean;
}

/** A list of networks such as 10.0.0.0/8, fd00::/8 or single addresses; null when `text` of one is none. */
export function parseProxies(networks: readonly string[]): ProxyList | { readonly bad: string } {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address, prefixText, ...rest] = network.split('/');
    const version = isIP(address);
    const bits = version === 4 ? 32 : 128;
    const prefix =
      prefixText === undefined ? bits : /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : bits + 1;
    if (version === 0 || prefix > bits || rest.length > 0) return { bad: network };
    trusted.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
  }
  return {
    has(address) {
      const version = isIP(address);
      return version !== 0 && trusted.check(address, version === 4 ? 'ipv4' : 'ipv6');
    },
  };
}

/**
 * The client's address: the last one in X-Forwarded-For that is no trusted proxy itself, since everything left of
 * it may be the client's invention; the peer's own when the header names none.
 */
export function clientAddress(proxies: ProxyList, peer: string, forwardedFor: string): string {
  const hops = forwardedFor.split(',').map((hop) => hop.trim());
  let client = peer;
  for (let index = hops.length - 1; index >= 0 && isIP(hops[index]) !== 0; index--) {
    client = hops[index];
    if (!proxies.has(client)) break;
  }
  return client;
}
