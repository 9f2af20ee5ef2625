/**
 * Reads the key in an Authorization header: the key itself, `Bearer KEY`, or `Basic` with the key as the password of any user
 * name. Keys contain no spaces, so a key cannot be mistaken for a scheme.
 */
import { QuarryError } from '../../base/index.js';

const BEARER = /^bearer(?: +|$)/i;
const BASIC = /^basic(?: +|$)/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Throws 501 if the header has no key, 502 if its Basic credentials cannot be decoded. */
export function keyOf(header: string): string {
  const presented = header.trim();
  const key = BASIC.test(presented)
    ? passwordOf(presented.replace(BASIC, ''))
    : presented.replace(BEARER, '');
  if (key === '') throw new QuarryError(501);
  return key;
}

/** The password of `user:password` in Base64. */
function passwordOf(credentials: string): string {
  const text = BASE64.test(credentials) ? Buffer.from(credentials, 'base64').toString('utf8') : '';
  const colon = text.indexOf(':');
  if (colon === -1 && credentials !== '') {
    throw new QuarryError(502, 'Basic credentials must be USER:KEY in Base64, with a key as the password');
  }
  return text.slice(colon + 1);
}
