/** File ownership. */
import fs from 'node:fs';

/** Returns whether the file belongs to another user than this process's; always false on systems without user IDs. */
export async function isForeignFile(file: string): Promise<boolean> {
  const user = process.getuid?.();
  return user !== undefined && (await fs.promises.stat(file)).uid !== user;
}
