/**
 * Whitelists of addresses: networks, single addresses and host names. The addresses of host names are looked up in advance
 * and again every minute, so that a check never waits.
 * Invariants: an empty list admits all clients. A host name that has no address, or was not looked up yet, admits no client.
 * An IPv4 address written as IPv6 equals its IPv4 form. At most RUNNING_MAX look-ups are waited for at a time, each for at
 * most LOOK_UP_MS_MAX; the others wait in order. A name is not looked up again before its last look-up was answered.
 */
import { lookup } from 'node:dns/promises';
import type { Catalog } from '../../catalog/index.js';
import { AddressSet } from './address-set.js';

/** The addresses of a host name, as text. Rejects if it has none. */
export type LookUpHost = (host: string) => Promise<readonly string[]>;

export async function lookUpHost(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** A parsed whitelist. */
interface Whitelist {
  readonly networks: AddressSet;
  readonly hosts: readonly string[];
}

const NO_ADDRESSES = new AddressSet();

const RUNNING_MAX = 4;
/** Time after which the next look-up starts although this one has no answer. A later answer is still used. */
const LOOK_UP_MS_MAX = 5_000;

/** Errors after which the addresses of the last look-up stay in use: the name server could not be reached. */
const TEMPORARY_ERRORS: readonly unknown[] = ['EAI_AGAIN', 'ETIMEOUT', 'ECONNREFUSED'];

export class AddressBook {
  readonly #lookUpHost: LookUpHost;
  readonly #whitelists = new WeakMap<readonly string[], Whitelist>();
  /** By host name; only names of the newest catalog. */
  readonly #addresses = new Map<string, AddressSet>();
  readonly #lookUpMsMax: number;
  /** Names that wait for a look-up or for its answer. */
  readonly #wanted = new Set<string>();
  /** Look-ups that wait for their turn or for an answer, except those that were given up. */
  readonly #pending = new Set<Promise<void>>();
  #runningCount = 0;
  /** Resolvers of waiting look-ups; each starts when another one ends. */
  readonly #queue: (() => void)[] = [];
  #catalog: Catalog | null = null;
  #hosts: ReadonlySet<string> = new Set();

  constructor(lookUp: LookUpHost = lookUpHost, lookUpMsMax = LOOK_UP_MS_MAX) {
    this.#lookUpHost = lookUp;
    this.#lookUpMsMax = lookUpMsMax;
  }

  /** True if the whitelist admits `address` (text). */
  admits(whitelist: readonly string[], address: string): boolean {
    if (whitelist.length === 0) return true;
    const { networks, hosts } = this.#whitelistOf(whitelist);
    return networks.has(address) || hosts.some((host) => this.#addresses.get(host)?.has(address) === true);
  }

  /** Looks up the host names that are new in `catalog`. Cheap if the catalog has not changed. */
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

  /** True if every host name was looked up once or given up. */
  get settled(): boolean {
    for (const host of this.#hosts) if (!this.#addresses.has(host)) return false;
    return true;
  }

  /** Resolves when all pending look-ups were answered or given up, or after `waitMsMax`. */
  async whenSettled(waitMsMax: number): Promise<void> {
    if (this.#pending.size === 0) return;
    await settledWithin(Promise.all(this.#pending), waitMsMax);
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
    if (this.#wanted.has(host)) return;
    this.#wanted.add(host);
    const pending = this.#inTurn(host).finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
  }

  async #inTurn(host: string): Promise<void> {
    if (this.#runningCount < RUNNING_MAX) this.#runningCount++;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    if (this.#hosts.has(host)) await settledWithin(this.#updateAddresses(host), this.#lookUpMsMax);
    else this.#wanted.delete(host);
    if (this.#hosts.has(host) && !this.#addresses.has(host)) this.#addresses.set(host, NO_ADDRESSES);
    const next = this.#queue.shift();
    if (next === undefined) this.#runningCount--;
    else next();
  }

  async #updateAddresses(host: string): Promise<void> {
    let found: AddressSet | undefined;
    try {
      found = AddressSet.of(await this.#lookUpHost(host));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      found = TEMPORARY_ERRORS.includes(code) ? this.#addresses.get(host) : undefined;
    }
    this.#wanted.delete(host);
    if (this.#hosts.has(host)) this.#addresses.set(host, found ?? NO_ADDRESSES);
  }
}

/** Resolves with `done`, or after `waitMsMax`. */
async function settledWithin(done: Promise<unknown>, waitMsMax: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMsMax);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}
