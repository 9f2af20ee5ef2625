/** Converts texts in other encodings to UTF-8, which all readers of texts take. */
import { ImportError } from './row-block.js';

/** The names of --encoding, and what they mean to TextDecoder. */
const LABELS = {
  'utf-8': 'utf-8',
  'latin-1': 'windows-1252',
  'windows-1252': 'windows-1252',
  'iso-8859-15': 'iso-8859-15',
  'utf-16': 'utf-16le',
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
} as const;
export type Encoding = keyof typeof LABELS;
export const ENCODINGS = Object.keys(LABELS) as readonly Encoding[];

/** The encoding that a byte order mark names; null = there is none, or that of UTF-8. */
export function markedEncoding(head: Uint8Array): Encoding | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : null;
}

/** Rejects with ImportError, which names the place, if the bytes are no text of the encoding. */
export async function* utf8Bytes(
  bytes: AsyncIterable<Uint8Array>,
  encoding: Encoding,
  name: string,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(LABELS[encoding], { fatal: true });
  let taken = 0;
  const decoded = (part: Uint8Array | null): Uint8Array => {
    try {
      return Buffer.from(part === null ? decoder.decode() : decoder.decode(part, { stream: true }));
    } catch {
      const to = taken + (part?.length ?? 0);
      throw new ImportError(`${name} is not valid ${encoding}: bytes ${taken} to ${to} cannot be decoded`);
    }
  };
  for await (const part of bytes) {
    const text = decoded(part);
    taken += part.length;
    if (text.length > 0) yield text;
  }
  const rest = decoded(null);
  if (rest.length > 0) yield rest;
}
