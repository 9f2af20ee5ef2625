/** The key in the Authorization header as clients of other products send it. */
import { QuarryError } from '../../base/index.js';
import { keyOf, presentedHeader } from '../auth/keys.js';
import type { UwsRequest } from '../transport/uws.js';

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;
const API_KEY = /^apikey +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * null = the request has no such header. Like the interface's own header; in addition, the user of Basic credentials without a
 * password is a key, and so is the second part of `ApiKey`, or its whole text. Throws 501, 502 and 1503.
 */
export function inletKeyOf(request: UwsRequest): string | null {
  const header = presentedHeader(request)?.trim() ?? null;
  if (header === null) return null;
  const basic = BASIC.exec(header);
  if (basic !== null) {
    const [user, password] = dividedText(basic[1]);
    return filled(password === '' ? user : password);
  }
  const apiKey = API_KEY.exec(header);
  if (apiKey === null) return keyOf(header);
  const [id, secret] = dividedText(apiKey[1]);
  return filled(secret === null ? apiKey[1] : secret === '' ? id : secret);
}

/** The texts before and after the first colon of a text in Base64; the second is null without a colon. */
function dividedText(base64: string): readonly [string, string | null] {
  const text = Buffer.from(base64, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? [text, null] : [text.slice(0, colon), text.slice(colon + 1)];
}

function filled(key: string | null): string {
  if (key === null || key === '') throw new QuarryError(501);
  return key;
}
