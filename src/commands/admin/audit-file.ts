/** Writes the audit of a process to its log and to the file of --audit-log. */
import path from 'node:path';
import type { Logger } from 'pino';
import { systemClock } from '../../base/index.js';
import { Audit } from '../../http/index.js';
import { LineFile } from '../../io/index.js';
import type { ServeConfig } from '../serve/serve-config.js';

export interface OpenAudit {
  readonly audit: Audit;
  /** Opens the file again by its name, so that a rotated file is replaced by a new one. */
  readonly reopen: () => void;
  /** Resolves when every line is written to the file. */
  readonly close: () => Promise<void>;
}

/** Rejects when the file cannot be opened. Later errors of the file are only logged. */
export async function openAudit(
  { auditLog }: Pick<ServeConfig, 'auditLog'>,
  log: Logger,
): Promise<OpenAudit> {
  const file = auditLog === null ? null : await openFile(path.resolve(auditLog), log);
  return {
    audit: new Audit(log, file, () => systemClock.nowMs()),
    reopen: () => file?.reopen(),
    close: async () => file?.close(),
  };
}

async function openFile(file: string, log: Logger): Promise<LineFile> {
  try {
    return await LineFile.open({
      path: file,
      onTrouble: (error) =>
        log.error({ file, error: String(error) }, 'the audit log cannot be written; lines are lost'),
      onRecovered: (lostCount) => log.warn({ file, lostCount }, 'the audit log can be written again'),
    });
  } catch (error) {
    throw new Error(`audit-log: ${file} cannot be opened: ${(error as Error).message}`);
  }
}
