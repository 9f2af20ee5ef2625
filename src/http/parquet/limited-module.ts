/**
 * Limits the memory of a WebAssembly module that declares no limit: replaces its memory section (section 5), which has one memory.
 *   flags u8, 1 = with a limit | initial pages | limit in pages; numbers are unsigned LEB128
 */
const MEMORY_SECTION = 5;
const HEADER_BYTES = 8;
const WITH_LIMIT = 1;

export const PAGE_BYTES = 64 * 1024;

/** The code of the module with a limit of `pagesMax` pages of PAGE_BYTES. Throws if the module has not exactly one memory of its own. */
export function withMemoryLimit(code: Uint8Array, pagesMax: number): Uint8Array<ArrayBuffer> {
  for (let at = HEADER_BYTES; at < code.length; ) {
    const { value: bytes, end: contentAt } = numberAt(code, at + 1);
    const next = contentAt + bytes;
    if (code[at] === MEMORY_SECTION) {
      const { value: count, end: flagsAt } = numberAt(code, contentAt);
      if (count !== 1) throw new Error(`the module has ${count} memories`);
      const initial = numberAt(code, flagsAt + 1).value;
      if (initial > pagesMax) throw new Error(`the module needs ${initial} pages of memory, not ${pagesMax}`);
      const content = [1, WITH_LIMIT, ...numberBytes(initial), ...numberBytes(pagesMax)];
      const section = [MEMORY_SECTION, ...numberBytes(content.length), ...content];
      return new Uint8Array(Buffer.concat([code.subarray(0, at), Buffer.from(section), code.subarray(next)]));
    }
    at = next;
  }
  throw new Error('the module has no memory');
}

function numberAt(code: Uint8Array, start: number): { value: number; end: number } {
  let value = 0;
  for (let at = start, scale = 1; ; at++, scale *= 128) {
    value += (code[at] & 0x7f) * scale;
    if (code[at] < 0x80) return { value, end: at + 1 };
  }
}

function numberBytes(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return bytes;
}
