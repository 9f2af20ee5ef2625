/** The uncompressed bytes of all column buffers of a store's snapshot: values, codes, offsets, validity, dictionaries. */
import fs from 'node:fs';
import { decodeArrowFile } from '../../src/column/index.js';
import { createLz4 } from '../../src/format/index.js';
import { NodeFileSystem } from '../../src/io/index.js';
import { readManifest } from '../../src/recovery/index.js';

/** Collects every buffer below `value` once. */
function bufferBytes(value: unknown, seen: Set<ArrayBufferView>): number {
  if (ArrayBuffer.isView(value)) {
    if (seen.has(value)) return 0;
    seen.add(value);
    return value.byteLength;
  }
  if (typeof value !== 'object' || value === null || value instanceof Map) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + bufferBytes(part, seen), 0);
}

export async function snapshotColumnBytes(dir: string): Promise<number> {
  const manifest = await readManifest(new NodeFileSystem(), dir);
  if (manifest === null) throw new Error(`${dir} has no snapshot`);
  const lz4 = createLz4();
  let bytes = 0;
  for (const entry of manifest.files) {
    const file = `${dir}/${entry.path}`;
    const { columns } = decodeArrowFile(fs.readFileSync(file), lz4, file);
    bytes += bufferBytes(columns, new Set());
  }
  return bytes;
}
