/**
 * Executes an administrative request on a data directory, whether a server has it open or not: a running server gets the
 * request through its socket; without a server, the command locks the directory, opens the store without listeners,
 * executes the request and closes the store.
 * Invariants: a directory that holds no store is left unchanged; a request is repeated only if nothing was done; a change
 * without a server is written to the audit log as a server does.
 */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import {
  DirectoryInUseError,
  type FileSystem,
  isForeignFile,
  lockDirectory,
  NodeFileSystem,
  requestAdminSocket,
} from '../../io/index.js';
import { createEngine, type ServerDependencies } from '../serve/create-engine.js';
import type { ServeConfig } from '../serve/serve-config.js';
import { isWithin } from '../within.js';
import { administerAudited } from './admin-audit.js';
import type { AdminAnswer, AdminRequest } from './admin-request.js';
import { openAudit } from './audit-file.js';

/** How long the command waits for a server that starts or stops, or for another command. */
const WAIT_MS_MAX = 10_000;
const RETRY_MS = 100;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Returns the answer, which is never `busy`. Rejects with an Error whose message says what to do, or with the error of
 * opening the store.
 */
export async function administerStore(
  config: ServeConfig,
  request: AdminRequest,
  dependencies: ServerDependencies,
  waitMsMax = WAIT_MS_MAX,
): Promise<Exclude<AdminAnswer, { answer: 'busy' }>> {
  const fs = new NodeFileSystem();
  const dir = path.resolve(config.dataDir);
  if (!(await fs.exists(dir))) throw new Error(`the data directory ${dir} does not exist`);
  if (request.do === 'backup' && isWithin(dir, request.to)) {
    // The next checkpoint would remove files that it did not write, or fail on them.
    throw new Error(
      `${request.to} is in the data directory: choose a directory outside, preferably on another disk`,
    );
  }
  const deadlineMs = performance.now() + waitMsMax;
  for (;;) {
    const outcome = await attempt(fs, dir, config, request, dependencies);
    if (!('wait' in outcome)) return outcome;
    if (performance.now() > deadlineMs) throw new Error(outcome.wait);
    await sleep(RETRY_MS);
  }
}

type Outcome = Exclude<AdminAnswer, { answer: 'busy' }> | { readonly wait: string };

async function attempt(
  fs: FileSystem,
  dir: string,
  config: ServeConfig,
  request: AdminRequest,
  dependencies: ServerDependencies,
): Promise<Outcome> {
  const answer = await requestServer(dir, request);
  if (answer !== null) return orWait(answer);
  const manifest = path.join(dir, 'manifest');
  if (!(await fs.exists(manifest))) {
    const wait = `${dir} holds no store: quarry serve creates one at its first start`;
    // A server that starts for the first time writes quarry.pid before the manifest.
    if (await fs.exists(path.join(dir, 'quarry.pid'))) return { wait };
    throw new Error(wait);
  }
  if (await isForeignFile(manifest)) {
    throw new Error(
      `${dir} belongs to another user; run this command as that user, otherwise the server could no longer write there`,
    );
  }
  return withLock(dir, () => openAndAdminister(config, request, dependencies, fs, dir));
}

/** Returns the answer of the server that has the directory open; null when no server listens there. */
export async function requestServer(dir: string, request: AdminRequest): Promise<AdminAnswer | null> {
  // A backup has no time limit: it takes as long as the disks need.
  const answerMsMax = request.do === 'backup' ? null : undefined;
  const line = await requestAdminSocket(dir, JSON.stringify(request), answerMsMax).catch((error) => {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    throw new Error(
      `the server on ${dir} runs as another user; run this command as that user (${error.message})`,
    );
  });
  return line === null ? null : (JSON.parse(line) as AdminAnswer);
}

function orWait(answer: AdminAnswer): Outcome {
  return answer.answer === 'busy'
    ? { wait: `the server currently refuses changes: ${answer.message}` }
    : answer;
}

async function withLock(dir: string, work: () => Promise<Outcome>): Promise<Outcome> {
  let lock: Awaited<ReturnType<typeof lockDirectory>>;
  try {
    lock = await lockDirectory(dir);
  } catch (error) {
    if (!(error instanceof DirectoryInUseError)) throw error;
    return {
      wait: `${error.message}, which does not answer: it is a server that starts or stops, or another command; try again later`,
    };
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

async function openAndAdminister(
  config: ServeConfig,
  request: AdminRequest,
  dependencies: ServerDependencies,
  fs: FileSystem,
  dir: string,
): Promise<Outcome> {
  const { audit, close } = await openAudit(config, dependencies.log);
  try {
    // An administrative change is always synced, and never moves data between shards.
    const engine = await createEngine(
      { ...config, durability: 'fsync', shards: null },
      dependencies,
      fs,
      dir,
    );
    try {
      await engine.start();
      return orWait(await administerAudited({ engine, randomBytes }, request, audit, 'command line'));
    } finally {
      await engine.close();
    }
  } finally {
    await close();
  }
}
