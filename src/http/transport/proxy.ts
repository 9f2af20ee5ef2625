/**
 * Finds the client of a request that came through a trusted proxy.
 * Invariant: the X-Forwarded headers of any other peer are ignored.
 */
import { isIP } from 'node:net';
import { AddressSet } from '../auth/address-set.js';
import type { Response, UwsRequest } from './uws.js';

export interface ProxyList {
  /** True if `address` (text, IPv4 or IPv6) is in one of the trusted networks. */
  has(address: string): boolean;
}

/** Parses networks such as 10.0.0.0/8 or fd00::/8 and single addresses. `bad`: the first text that is neither. */
export function parseProxies(networks: readonly string[]): ProxyList | { readonly bad: string } {
  const trusted = new AddressSet();
  for (const network of networks) if (!trusted.add(network)) return { bad: network };
  return trusted;
}

/**
 * The client's address: the last one in X-Forwarded-For that is not a trusted proxy, because the client may have invented
 * everything to the left of it; the peer's address if the header names none.
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

/** `1.2.3.4:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`; the addresses are checked separately. */
const HOP = /^(?:\[(?<v6>[^\]]*)\]|(?<v4>[\d.]+))(?::(?<port>\d{1,5}))?$/;
const PORT_MAX = 65_535;

/** The address in a hop of X-Forwarded-For, without its port; null = none. */
function addressOfHop(hop: string): string | null {
  if (isIP(hop) !== 0) return hop;
  const { v4 = '', v6 = '', port = '0' } = HOP.exec(hop)?.groups ?? {};
  if (Number(port) > PORT_MAX) return null;
  if (isIP(v4) === 4) return v4;
  return isIP(v6) === 6 ? v6 : null;
}

/** The values of all header lines of that name (in lower case), in order: a proxy may add a line after the client's. */
function allOf(request: UwsRequest, name: string): string {
  const values: string[] = [];
  request.forEach((key, value) => {
    if (key === name) values.push(value);
  });
  return values.join(',');
}

/** The sender of a request. Its members may be read only while the request's head is handled. */
export class Peer {
  readonly #response: Response;
  readonly #request: UwsRequest;
  readonly #proxies: ProxyList | null;
  #own: string | null = null;

  constructor(response: Response, request: UwsRequest, proxies: ProxyList | null) {
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

  /** True if a trusted proxy reports that the request came over HTTPS. The proxy's own value is the last one. */
  get isForwardedSecure(): boolean {
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
