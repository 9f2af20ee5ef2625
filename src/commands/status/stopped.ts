/** What can be told of a store that no server has open, from its files alone. */
import path from 'node:path';
import { type StoreSummary, summarizeStore } from '../../inspect/index.js';
import type { FileSystem } from '../../io/index.js';
import { summaryText } from '../inspect/text.js';

/** Why nobody answered, and what the files say. */
export async function stoppedText(fs: FileSystem, dir: string, json: boolean): Promise<string> {
  const summary = await summarizeStore(fs, dir);
  // Its holder removes it when it ends; what a killed one left behind misleads nobody but here.
  const isHeld = await fs.exists(path.join(dir, 'quarry.pid'));
  if (json) return `${JSON.stringify({ running: false, store: summary })}\n`;
  return `${whyText(dir, isHeld, summary)}\n${summary === null ? '' : `\n${summaryText(summary)}`}`;
}

function whyText(dir: string, isHeld: boolean, summary: StoreSummary | null): string {
  if (isHeld) {
    return `No server answers for ${dir}: one starts or stops (its pid is in quarry.pid), or was killed and left quarry.pid.`;
  }
  return summary === null
    ? `${dir} holds no store; quarry serve makes one at its first start.`
    : `No server runs on ${dir}.`;
}
