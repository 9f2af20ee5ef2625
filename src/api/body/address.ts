/** The entries of address whitelists: IP addresses, networks in CIDR form, and host names. */
import { isIP } from 'node:net';
import { checkAll, quoted } from '../../base/index.js';
import { ADDRESSES_MAX, type Fields, type newDatabase } from '../../interface/index.js';
import type { RequestBody } from './request-body.js';

const HOST_CHARS_MAX = 253;
/** A label of a host name. ASCII only: a character such as U+212A becomes an ASCII letter when it is lower-cased later. */
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
const HEXADECIMAL = /^0x[0-9a-f]*$/i;

/** Whether `text` is an IP address or a network such as 10.0.0.0/8, which needs no name lookup. */
export function isNetwork(text: string): boolean {
  const [address, prefix, ...rest] = text.split('/');
  const version = isIP(address);
  // No client's address comes with a zone (fe80::1%eth0), so such an entry would admit nobody.
  if (version === 0 || address.includes('%') || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}

/** Whether `text` is a host name. Its last label must not be a number: 1.2.3, 999.1.1.1 and 0x7f000001 are mistyped addresses. */
function isHostName(text: string): boolean {
  const labels = text.split('.');
  const last = labels.at(-1) ?? '';
  return (
    text.length <= HOST_CHARS_MAX &&
    labels.every((label) => LABEL.test(label)) &&
    /[a-z]/i.test(last) &&
    !HEXADECIMAL.test(last)
  );
}

function isAddress(text: string): boolean {
  return isNetwork(text) || isHostName(text);
}

/** Whether a checked entry is a host name, which DNS resolves to addresses. */
export function isLookedUp(text: string): boolean {
  return !isNetwork(text);
}

const FIELD = 'addresses-whitelist';

/** Reads the whitelist of a body; returns `absent` if there is none. Throws the code of its schema. */
export function readAddresses<F extends Pick<typeof newDatabase.properties, typeof FIELD> & Fields>(
  body: RequestBody<F>,
  absent: readonly string[],
): readonly string[] {
  const addresses = body.get(FIELD) as readonly string[] | undefined;
  if (addresses === undefined) return absent;
  if (addresses.length > ADDRESSES_MAX) throw body.error(FIELD, `has more than ${ADDRESSES_MAX} entries`);
  return checkAll(addresses, (address, index) => {
    if (isAddress(address)) return address.toLowerCase();
    throw body.error(
      FIELD,
      `has ${quoted(address)} at [${index}], which is not an address, network or host name`,
    );
  });
}
