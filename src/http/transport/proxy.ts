/**
 * Which peers are trusted proxies, and what a request that came through one says of its client.
 * Invariant: the X-Forwarded headers of any other peer are never looked at.
 */
import { isIP } from 'node:net';
import { AddressSet } from '../auth/address-set.js';
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
  let client = peer;
  for (const hop of forwardedFor.split(',').reverse()) {
    const address = addressOfHop(hop.trim());
    if (address === null) break;
    client = address;
    if (!proxies.has(client)) break;
  }
  return client;
}

/** `1.2.3.4:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`; the addresses are checked apart. */
const HOP = /^(?:\[(?<v6>[^\]]*)\]|(?<v4>[\d.]+))(?::(?<port>\d{1,5}))?$/;
const PORT_MAX = 65_535;

/** The address that a hop of X-Forwarded-For names, without its port; null = it names none. */
function addressOfHop(hop: string): string | null {
  if (isIP(hop) !== 0) return hop;
  const { v4 = '', v6 = '', port = '0' } = HOP.exec(hop)?.groups ?? {};
  if (Number(port) > PORT_MAX) return null;
  if (isIP(v4) === 4) return v4;
  return isIP(v6) === 6 ? v6 : null;
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
