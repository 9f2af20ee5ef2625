/** The entries of address whitelists: IP addresses, networks in CIDR form, and host names. */
import { isIP } from 'node:net';
import { quoted } from '../base/index.js';
import type { TeamFields } from './team-fields.js';

const ADDRESSES_MAX = 100;
const HOST_CHARS_MAX = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

function isNetwork(text: string): boolean {
  const [address, prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}

/** A host name has a letter in its last label: 1.2.3 and 999.1.1.1 are mistyped addresses. */
function isHostName(text: string): boolean {
  const labels = text.split('.');
  return (
    text.length <= HOST_CHARS_MAX &&
    labels.every((label) => LABEL.test(label)) &&
    /[a-z]/.test(labels.at(-1) ?? '')
  );
}

export function isAddress(text: string): boolean {
  return isNetwork(text) || isHostName(text.toLowerCase());
}

/** Whether an entry has to be looked up to be an address. */
export function isLookedUp(text: string): boolean {
  return !isNetwork(text);
}

/** The whitelist at `field`, or `absent`. Throws the fields' code. */
export function readAddresses(
  fields: TeamFields,
  field: string,
  absent: readonly string[],
): readonly string[] {
  const addresses = fields.texts(field, absent);
  if (addresses.length > ADDRESSES_MAX) throw fields.fault(field, `has more than ${ADDRESSES_MAX} entries`);
  addresses.forEach((address, index) => {
    if (isAddress(address)) return;
    throw fields.fault(
      field,
      `has ${quoted(address)} at [${index}], which is no address, network or host name`,
    );
  });
  return addresses.map((address) => address.toLowerCase());
}
