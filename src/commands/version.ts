/** `quarry version`: this release, and what of the machine it could make use of. */
import path from 'node:path';
import { nativeLoaded } from '../http/index.js';
import { compileKernels } from '../kernels/index.js';

export interface VersionNeeds {
  /** Where the release lies: the folder of its package.json. */
  readonly root: string;
  readonly readText: (file: string) => string;
  /** The kernels' bytes; null = told to do without. Throws when they cannot be read. */
  readonly readKernels: () => Uint8Array | null;
}

/** Of package.json, the one place that has it. */
export function releaseOf({ root, readText }: Pick<VersionNeeds, 'root' | 'readText'>): string {
  return (JSON.parse(readText(path.join(root, 'package.json'))) as { version: string }).version;
}

export function versionText(needs: VersionNeeds): string {
  return [
    `quarry ${releaseOf(needs)}`,
    `node ${process.versions.node} on ${process.platform} ${process.arch}`,
    `kernels: ${kernelsOf(needs)}`,
    `uWebSockets.js: ${nativeLoaded ? 'native' : 'without its native part, at a fraction of the speed'}`,
    '',
  ].join('\n');
}

function kernelsOf({ readKernels }: VersionNeeds): string {
  try {
    const bytes = readKernels();
    if (bytes === null) return 'JavaScript, as QUARRY_KERNELS says';
    compileKernels(bytes);
    return 'SIMD';
  } catch (error) {
    return `SIMD ones did not load: ${(error as Error).message}`;
  }
}
