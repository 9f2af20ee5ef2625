/**
 * Which peers are trusted proxies, and what a request that came through one says of its client.
 * Invariant: the X-Forwarded headers of any other peer are never looked at.
 */
import { isIP } from 'node:net';
import { AddressSet } from './address-set.js';
import type { Request, Response } from './uws.js';

export interface ProxyList {
  /** Whether `address` (text, IPv4 or IPv6) lies in one of the trusted networks. */
  has(address: string): boolean;
}

/** A list of networks such as 10.0.0.0/8, fd00::/8 or single addresses; `bad` is the first that is none. */
export function parseProxies(networks: readonly string[]): ProxyList | { readonly bad: string } {
  const trusted = new AddressSet();
  for (const network of networks) if (!trusted.add(network)) return { bad: network };
  return trusted;
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

/** The values of all header lines of that name (in lower case), in their order; a proxy may add a line of its own
 *  behind one that the client sent. */
function allOf(request: Request, name: string): string {
  const values: string[] = [];
  request.forEach((key, value) => {
    if (key === name) values.push(value);
  });
  return values.join(',');
}

/** Who sent a request. Asked for only when something depends on it, and only while the request's head is handled. */
export class Peer {
  readonly #response: Response;
  readonly #request: Request;
  readonly #proxies: ProxyList | null;
  #own: string | null = null;

  constructor(response: Response, request: Request, proxies: ProxyList | null) {
    this.#response = response;
    this.#request = request;
    this.#proxies = proxies;
  }

  /** The client's address, as text. */
  get address(): string {
    return this.#proxies !== null && this.#isProxy(this.#proxies)
      ? clientAddress(this.#proxies, this.#ownAddress(), allOf(this.#request, 'x-forwarded-for'))
      : this.#ownAddress();
  }

  /** Whether a trusted proxy vouches that the request came over HTTPS: what it says itself is the last value. */
  get vouchedSecure(): boolean {
    if (this.#proxies === null || !this.#isProxy(this.#proxies)) return false;
    const values = allOf(this.#request, 'x-forwarded-proto').split(',');
    return values[values.length - 1].trim().toLowerCase() === 'https';
  }

  #isProxy(proxies: ProxyList): boolean {
    return proxies.has(this.#ownAddress());
  }

  #ownAddress(): string {
    this.#own ??= Buffer.from(this.#response.getRemoteAddressAsText()).toString('latin1');
    return this.#own;
  }
}
