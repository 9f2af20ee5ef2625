/** Containment of folders, by their paths. */
import path from 'node:path';

/** Whether `other` is `folder` or is inside it, by their paths. */
export function isWithin(folder: string, other: string): boolean {
  const way = path.relative(path.resolve(folder), path.resolve(other));
  return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}
