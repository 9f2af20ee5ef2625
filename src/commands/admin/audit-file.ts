/** The audit of a process: into its log, and into the file that --audit-log names. */
import path from 'node:path';
import type { Logger } from 'pino';
import { systemClock } from '../../base/index.js';
import { Audit } from '../../http/index.js';
import { LineFile } from '../../io/index.js';
import type { ServeConfig } from '../serve/serve-config.js';

export interface OpenAudit {
  readonly audit: Audit;
  /** Goes on in the file that has the name now. */
  readonly reopen: () => void;
  /** Resolves when every line is in the file. */
  readonly close: () => Promise<void>;
}

/** Rejects when the file cannot be opened; once it is, trouble with it is logged and stops nothing. */
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
        log.error({ file, error: String(error) }, 'the audit log cannot be written: lines are lost'),
      onRecovered: (lostCount) => log.warn({ file, lostCount }, 'the audit log can be written again'),
    });
  } catch (error) {
    throw new Error(`audit-log: ${file} cannot be opened: ${(error as Error).message}`);
  }
}
