/**
 * The binary format of type numeric in Postgres.
 *   i16 digits, i16 weight, u16 sign (0 or 0x4000), u16 scale, then u16 digits of base 10,000, the first of them worth
 *   10,000^weight
 */
import { ProtocolError } from './errors.js';

const NEGATIVE = 0x4000;
const GROUP = 4;
/** Limit of the base-10,000 digits of a number from a client, beyond those of any stored value. */
const GROUPS_MAX = 1_000;

/** `text` is an optional sign, digits and an optional fraction, without an exponent. */
export function numericBytes(text: string): Buffer {
  const isNegative = text.startsWith('-');
  const [whole, fraction = ''] = (isNegative ? text.slice(1) : text).split('.');
  const left = whole.replace(/^0+/, '');
  const padded = left.padStart(Math.ceil(left.length / GROUP) * GROUP, '0');
  const digits = padded + fraction.padEnd(Math.ceil(fraction.length / GROUP) * GROUP, '0');
  const groups = Array.from({ length: digits.length / GROUP }, (_, at) =>
    Number(digits.slice(at * GROUP, at * GROUP + GROUP)),
  );
  let weight = padded.length / GROUP - 1;
  while (groups.length > 0 && groups[0] === 0) {
    groups.shift();
    weight--;
  }
  while (groups.at(-1) === 0) groups.pop();
  const bytes = Buffer.alloc(8 + groups.length * 2);
  bytes.writeInt16BE(groups.length, 0);
  bytes.writeInt16BE(groups.length === 0 ? 0 : weight, 2);
  bytes.writeUInt16BE(isNegative && groups.length > 0 ? NEGATIVE : 0, 4);
  bytes.writeUInt16BE(fraction.length, 6);
  groups.forEach((group, at) => {
    bytes.writeUInt16BE(group, 8 + at * 2);
  });
  return bytes;
}

/** Decodes a number to text. Throws 22P03. */
export function numericText(bytes: Buffer): string {
  const wrong = (): ProtocolError => new ProtocolError('22P03', 'a parameter of type numeric cannot be read');
  if (bytes.length < 8) throw wrong();
  const count = bytes.readInt16BE(0);
  const weight = bytes.readInt16BE(2);
  const sign = bytes.readUInt16BE(4);
  const scale = bytes.readUInt16BE(6);
  const inBounds = count >= 0 && bytes.length === 8 + count * 2 && Math.abs(weight) <= GROUPS_MAX;
  if (!inBounds || count > GROUPS_MAX || scale > GROUPS_MAX * GROUP) throw wrong();
  if (sign !== 0 && sign !== NEGATIVE) {
    throw new ProtocolError('22P03', 'a parameter of type numeric is neither finite nor a number');
  }
  const groupAt = (power: number): string => {
    const at = weight - power;
    return String(at >= 0 && at < count ? bytes.readUInt16BE(8 + at * 2) : 0).padStart(GROUP, '0');
  };
  let whole = '';
  for (let power = weight; power >= 0; power--) whole += groupAt(power);
  let fraction = '';
  for (let power = -1; fraction.length < scale; power--) fraction += groupAt(power);
  const text = whole.replace(/^0+(?=\d)/, '') || '0';
  const digits = fraction.slice(0, scale);
  return `${sign === NEGATIVE ? '-' : ''}${text}${digits === '' ? '' : `.${digits}`}`;
}
