/** Whether one folder lies in another, as their paths say. */
import path from 'node:path';

/** `folder` itself counts. */
export function isWithin(folder: string, other: string): boolean {
  const way = path.relative(path.resolve(folder), path.resolve(other));
  return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}
