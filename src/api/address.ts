/**
 * Whitelists of addresses in bodies: each entry is an IP address, a network (CIDR) or a host name.
 * Invariant: what stands in a checked whitelist is one of the three; host names are in lower case.
 */
import { isIP } from 'node:net';
import { quoted } from '../base/index.js';
import { listOf, type Place, type ReadValue, readText } from './field-reader.js';
import type { Json } from './json.js';

const ADDRESSES_MAX = 100;
const HOST_CHARS_MAX = 253;
const PREFIX = /^(?:0|[1-9]\d{0,2})$/;
/** Labels of 1 to 63 letters, digits and inner dashes. The last one is not all digits: that would be a bad address. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** A whitelist of at most 100 entries; an empty one lets everybody in. */
export const readAddresses: ReadValue<readonly string[]> = listOf(ADDRESSES_MAX, readAddress);

function readAddress(value: Json, place: Place): string {
  const text = readText(value, place);
  if (isNetwork(text)) return text;
  const host = text.toLowerCase();
  if (host.length <= HOST_CHARS_MAX && HOST.test(host)) return host;
  throw place.fault(`is no IP address, network or host name: ${quoted(text)}`);
}

/** Whether `text` is an IP address or a network; what else stands in a whitelist is a host name. */
export function isNetwork(text: string): boolean {
  const [address, prefix, ...rest] = text.split('/', 3);
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (PREFIX.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}
