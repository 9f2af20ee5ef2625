/** Digests of texts, and texts written as hexadecimal digits or base64. The bytes of a text are its UTF-8. */
import { hash } from 'node:crypto';
import { expressionError, quoted } from '../error.js';

export const md5 = (text: string): string => hash('md5', text, 'hex');

/** In hexadecimal digits. */
export const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** PostgreSQL breaks base64 after this many characters. */
const BASE64_LINE_CHARS = 76;

export function encode(text: string, format: string): string {
  const bytes = Buffer.from(text, 'utf8');
  switch (formatOf(format)) {
    case 'hex':
      return bytes.toString('hex');
    case 'base64':
      return bytes.toString('base64').replace(new RegExp(`.{${BASE64_LINE_CHARS}}(?=.)`, 'g'), '$&\n');
    default:
      return escaped(bytes);
  }
}

/** Bytes other than ASCII and 0 as \nnn, and a backslash twice. */
function escaped(bytes: Buffer): string {
  let made = '';
  for (const byte of bytes) {
    if (byte === 0x5c) made += '\\\\';
    else if (byte === 0 || byte >= 0x80) made += `\\${byte.toString(8).padStart(3, '0')}`;
    else made += String.fromCharCode(byte);
  }
  return made;
}

/** Throws 6000 if the text has another form, or its bytes are not UTF-8. */
export function decode(text: string, format: string): string {
  const bytes = bytesOf(text, formatOf(format));
  if (bytes === null) throw expressionError(`DECODE cannot read ${quoted(text)} as ${format}`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw expressionError(`the bytes that DECODE reads from ${quoted(text)} are not UTF-8 text`);
  }
}

function bytesOf(text: string, format: 'hex' | 'base64' | 'escape'): Buffer | null {
  const bare = text.replace(/[ \n\r\t]/g, '');
  if (format === 'hex') return /^(?:[0-9a-fA-F]{2})*$/.test(bare) ? Buffer.from(bare, 'hex') : null;
  if (format === 'base64') {
    const whole = bare.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(bare);
    return whole ? Buffer.from(bare, 'base64') : null;
  }
  if (!/^(?:[^\\]|\\\\|\\[0-3][0-7]{2})*$/.test(text)) return null;
  const parts = text.split(/(\\\\|\\[0-7]{3})/).map((part) => {
    if (part === '\\\\') return Buffer.from('\\');
    return part[0] === '\\' ? Buffer.from([Number.parseInt(part.slice(1), 8)]) : Buffer.from(part, 'utf8');
  });
  return Buffer.concat(parts);
}

function formatOf(format: string): 'hex' | 'base64' | 'escape' {
  const name = format.toLowerCase();
  if (name === 'hex' || name === 'base64' || name === 'escape') return name;
  throw expressionError(
    `there is no form ${quoted(format)} of ENCODE and DECODE; write hex, base64 or escape`,
  );
}
