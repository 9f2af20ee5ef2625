/** Whose a file is. */
import fs from 'node:fs';

/** Whether the file belongs to another user than this process's; never on systems without such numbers. */
export async function isForeignFile(file: string): Promise<boolean> {
  const user = process.getuid?.();
  return user !== undefined && (await fs.promises.stat(file)).uid !== user;
}
