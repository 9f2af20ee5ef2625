/** Describes a store that no server has open, by its files. */
import path from 'node:path';
import { type StoreSummary, summarizeStore } from '../../inspect/index.js';
import type { FileSystem } from '../../io/index.js';
import { summaryText } from '../inspect/text.js';

/** The reason why no server answered, and a summary of the files. */
export async function stoppedText(fs: FileSystem, dir: string, json: boolean): Promise<string> {
  const summary = await summarizeStore(fs, dir);
  // The lock holder removes the file at its end; only a killed process leaves it, and the text names that case.
  const isLocked = await fs.exists(path.join(dir, 'quarry.pid'));
  if (json) return `${JSON.stringify({ running: false, store: summary })}\n`;
  return `${whyText(dir, isLocked, summary)}\n${summary === null ? '' : `\n${summaryText(summary)}`}`;
}

function whyText(dir: string, isLocked: boolean, summary: StoreSummary | null): string {
  if (isLocked) {
    return `No server answers for ${dir}: a server is starting or stopping (its pid is in quarry.pid), or was killed and left quarry.pid.`;
  }
  return summary === null
    ? `${dir} holds no store; quarry serve creates one at its first start.`
    : `No server runs on ${dir}.`;
}
