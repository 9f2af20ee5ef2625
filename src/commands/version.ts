/** `quarry version`: prints the release, the Node version, the platform and the kernels in use. */
import path from 'node:path';
import { nativeFault } from '../http/index.js';
import { compileKernels } from '../kernels/index.js';

export interface VersionDependencies {
  /** The folder of the release's package.json. */
  readonly root: string;
  readonly readText: (file: string) => string;
  /** The kernels' bytes; null = WebAssembly kernels are disabled. Throws when they cannot be read. */
  readonly readKernels: () => Uint8Array | null;
}

/** The version in package.json. */
export function releaseOf({ root, readText }: Pick<VersionDependencies, 'root' | 'readText'>): string {
  return (JSON.parse(readText(path.join(root, 'package.json'))) as { version: string }).version;
}

export function versionText(dependencies: VersionDependencies): string {
  return [
    `quarry ${releaseOf(dependencies)}`,
    `node ${process.versions.node} on ${process.platform} ${process.arch}`,
    `kernels: ${kernelsOf(dependencies)}`,
    `uWebSockets.js: ${nativeFault === null ? 'native' : `did not load: ${nativeFault}`}`,
    '',
  ].join('\n');
}

function kernelsOf({ readKernels }: VersionDependencies): string {
  try {
    const bytes = readKernels();
    if (bytes === null) return 'JavaScript, as set by QUARRY_KERNELS';
    compileKernels(bytes);
    return 'SIMD';
  } catch (error) {
    return `JavaScript, because the SIMD kernels did not load: ${(error as Error).message}`;
  }
}
