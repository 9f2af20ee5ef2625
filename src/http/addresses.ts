/**
 * Whitelists of addresses: networks, single addresses and host names, whose addresses are looked up beforehand and
 * again every minute, so that a check never waits.
 * Invariants: an empty list admits everybody; a host name that has no address, or that was not looked up yet, admits
 * nobody; an IPv4 address is the same one when it is written as IPv6.
 */
import { lookup } from 'node:dns/promises';
import type { Catalog } from '../catalog/index.js';
import { AddressSet } from './address-set.js';

/** The addresses of a host name, as text. Rejects when it has none. */
export type LookUpHost = (host: string) => Promise<readonly string[]>;

export async function lookUpHost(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** A whitelist, taken apart. */
interface Whitelist {
  readonly networks: AddressSet;
  readonly hosts: readonly string[];
}

const NO_ADDRESSES = new AddressSet();

/** The name server could not be asked: what it said before goes on to hold. */
const TEMPORARY_FAULTS: readonly unknown[] = ['EAI_AGAIN', 'ETIMEOUT', 'ECONNREFUSED'];

export class AddressBook {
  readonly #lookUpHost: LookUpHost;
  readonly #whitelists = new WeakMap<readonly string[], Whitelist>();
  /** By host name, those of the newest catalog. */
  readonly #addresses = new Map<string, AddressSet>();
  /** Look-ups on their way, by host name. */
  readonly #running = new Map<string, Promise<void>>();
  #catalog: Catalog | null = null;
  #hosts: ReadonlySet<string> = new Set();

  constructor(lookUp: LookUpHost = lookUpHost) {
    this.#lookUpHost = lookUp;
  }

  /** Whether `address` (text) is in the whitelist. */
  admits(whitelist: readonly string[], address: string): boolean {
    if (whitelist.length === 0) return true;
    const { networks, hosts } = this.#whitelistOf(whitelist);
    return networks.has(address) || hosts.some((host) => this.#addresses.get(host)?.has(address) === true);
  }

  /** Takes note of a catalog: host names that are new in it are looked up from now on. Cheap when it is the same one. */
  see(catalog: Catalog): void {
    if (catalog === this.#catalog) return;
    this.#catalog = catalog;
    this.#hosts = this.#hostsOf(catalog);
    for (const host of this.#addresses.keys()) if (!this.#hosts.has(host)) this.#addresses.delete(host);
    for (const host of this.#hosts) if (!this.#addresses.has(host)) this.#lookUp(host);
  }

  /** Looks all host names up again. */
  refresh(): void {
    for (const host of this.#hosts) this.#lookUp(host);
  }

  /** Whether every host name was looked up once. */
  get settled(): boolean {
    for (const host of this.#hosts) if (!this.#addresses.has(host)) return false;
    return true;
  }

  /** Resolves when no look-up is on its way, or after `waitMsMax`. */
  async whenSettled(waitMsMax: number): Promise<void> {
    if (this.#running.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, waitMsMax);
    });
    await Promise.race([Promise.all(this.#running.values()), late]);
    clearTimeout(timer);
  }

  #whitelistOf(entries: readonly string[]): Whitelist {
    const known = this.#whitelists.get(entries);
    if (known !== undefined) return known;
    const networks = new AddressSet();
    const hosts = entries.filter((entry) => !networks.add(entry)).map((host) => host.toLowerCase());
    const made = { networks, hosts };
    this.#whitelists.set(entries, made);
    return made;
  }

  #hostsOf(catalog: Catalog): ReadonlySet<string> {
    const hosts = new Set<string>();
    const add = (whitelist: readonly string[]): void => {
      if (whitelist.length === 0) return;
      for (const host of this.#whitelistOf(whitelist).hosts) hosts.add(host);
    };
    for (const { addressesWhitelist } of catalog.properties.values()) add(addressesWhitelist);
    for (const key of catalog.keys.values()) if (key.kind === 'custom') add(key.addressesWhitelist);
    return hosts;
  }

  #lookUp(host: string): void {
    if (this.#running.has(host)) return;
    const run = async (): Promise<void> => {
      let found: AddressSet | undefined;
      try {
        found = AddressSet.of(await this.#lookUpHost(host));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        found = TEMPORARY_FAULTS.includes(code) ? this.#addresses.get(host) : undefined;
      }
      this.#running.delete(host);
      if (this.#hosts.has(host)) this.#addresses.set(host, found ?? NO_ADDRESSES);
    };
    this.#running.set(host, run());
  }
}
