/** To repeat a run: node dist/test/fuzz/lines.test.js --seed 1 --texts 200000 */
import { parseArgs } from 'node:util';
import t from 'tap';
import { NESTING_MAX, Prng } from '../../src/base/index.js';
import { createIngestScratch, type ParseOutcome, parseLines } from '../../src/ingest/index.js';
import { compileKernels } from '../../src/kernels/index.js';
import { unlikeInserts } from '../ingest/plain-bodies.js';
import { wasmBytes } from '../kernels/twin-arena.js';
import { NOW_MS, sampleModel } from '../support/ingest/ingest-bodies.js';
import { hostileLines } from './hostile-lines.js';

const { values: options } = parseArgs({
  options: {
    texts: { type: 'string', default: '6000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [TEXTS, SEED] = [Number(options.texts), Number(options.seed)];
const CONTEXT = { model: sampleModel(), shardCount: 2, nowMs: NOW_MS, customKey: false, columnIds: null };
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** Whether a line is one JSON value, by the rules for bodies: no lone surrogates, limited nesting. */
function isJson(line: Uint8Array): boolean {
  try {
    const value = JSON.parse(utf8.decode(line)) as unknown;
    // In an insert body a line's object is nested in another object.
    return JSON.stringify(value).search(/\\ud[89a-f]/) === -1 && depthOf(value) < NESTING_MAX;
  } catch {
    return false;
  }
}

interface Seen {
  readonly entityCount: number;
  /** From 1; 0 = all lines are JSON. */
  readonly brokenLine: number;
}

function seenIn(text: Uint8Array): Seen {
  const [bytes, lines]: [Buffer, Buffer[]] = [Buffer.from(text), []];
  for (let at = 0; at <= bytes.length; ) {
    const found = bytes.indexOf(0x0a, at);
    const end = found === -1 ? bytes.length : found;
    lines.push(bytes.subarray(at, end));
    at = end + 1;
  }
  const isBlank = (line: Buffer): boolean =>
    line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
  const brokenLine = lines.findIndex((line) => !isBlank(line) && !isJson(line)) + 1;
  return { entityCount: lines.filter((line) => !isBlank(line)).length, brokenLine };
}

function errorOf(outcome: ParseOutcome, seen: Seen): string | null {
  if ('parsed' in outcome) {
    if (seen.brokenLine > 0) return `line ${seen.brokenLine} is not JSON, and all were accepted`;
    return outcome.parsed.entityCount === seen.entityCount ? null : `${outcome.parsed.entityCount} entities`;
  }
  const { code, message, moreInfo } = outcome.error;
  const { line } = moreInfo as { line: number };
  if (!message.startsWith(`line ${line}: `)) return `line ${line}, and the message says ${message}`;
  if (seen.brokenLine === 0) return code === 1503 ? `${message}: but every line is JSON` : null;
  return code === 1503 && line === seen.brokenLine ? null : `${code} ${message}, not line ${seen.brokenLine}`;
}

t.test('a line that is not valid JSON is refused with its number, whatever lines surround it', (t) => {
  t.comment(`seed ${SEED}, ${TEXTS} texts`);
  const random = new Prng(SEED);
  const module = compileKernels(wasmBytes());
  const [simd, slow] = [createIngestScratch(module), createIngestScratch(null)];
  const counts = { accepted: 0, broken: 0, refused: 0 };
  for (let index = 0; index < TEXTS; index++) {
    const text = hostileLines(random);
    const seen = seenIn(text);
    // A new model each time: after many invalid texts a model no longer tries SIMD.
    const context = { ...CONTEXT, model: { ...CONTEXT.model } };
    const outcome = parseLines(text, { head: 0, first: 1 }, context, simd);
    const other = parseLines(text, { head: 0, first: 1 }, CONTEXT, slow);
    const differs =
      'parsed' in outcome && 'parsed' in other
        ? unlikeInserts(outcome.parsed, other.parsed)
        : JSON.stringify(outcome) === JSON.stringify(other)
          ? null
          : 'the two walks differ';
    const fault = errorOf(outcome, seen) ?? differs;
    if (fault !== null) {
      t.fail(`seed ${SEED}, text ${index}: ${fault}`, { text: Buffer.from(text).toString('latin1') });
      return t.end();
    }
    counts['parsed' in outcome ? 'accepted' : seen.brokenLine > 0 ? 'broken' : 'refused']++;
  }
  t.comment(JSON.stringify(counts));
  t.ok(Math.min(...Object.values(counts)) > TEXTS / 20, 'many of each kind');
  t.end();
});
