/**
 * Measures the time to look up keys that share nothing, nearly all or all of their letters with a valid key. It only
 * prints the times, because a difference of a few nanoseconds needs human judgment. node
 * dist/test/crash/client/key-timing.js --rounds 200000
 */

import { createHash, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { hashOfKey, newKeyText } from '../../../src/catalog/index.js';
import { authenticate } from '../../../src/http/auth/keys.js';
import type { Sessions } from '../../../src/http/auth/sessions.js';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '200000' } } });
const ROUNDS = Number(values.rounds);
const KEY_COUNT = 1_000;

const texts = Array.from({ length: KEY_COUNT }, () => newKeyText((count) => randomBytes(count)));
const keys = new Map(
  texts.map((text) => {
    const hash = createHash('sha256').update(text).digest('hex');
    return [hash, { kind: 'team', hash, name: hash, permissions: [] }] as const;
  }),
);
const catalog = { keys, databases: new Map() } as never;
const sessions = { find: () => null } as unknown as Sessions;

const other = (letter: string): string => (letter === 'A' ? 'B' : 'A');
const KINDS: Readonly<Record<string, (text: string) => string>> = {
  'wrong in the first letter': (text) => other(text[0]) + text.slice(1),
  'wrong in the middle': (text) => text.slice(0, 20) + other(text[20]) + text.slice(21),
  'wrong in the last letter': (text) => text.slice(0, -2) + other(text.slice(-2, -1)) + text.slice(-1),
};

const samples = new Map(Object.keys(KINDS).map((kind) => [kind, [] as number[]]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [kind, make] of Object.entries(KINDS)) {
    const text = make(texts[round % KEY_COUNT]);
    const from = process.hrtime.bigint();
    try {
      authenticate(catalog, sessions, hashOfKey(text), 0);
    } catch {
      // All these keys are refused.
    }
    samples.get(kind)?.push(Number(process.hrtime.bigint() - from));
  }
}
for (const [kind, list] of samples) {
  list.sort((a, b) => a - b);
  const at = (share: number): number => list[Math.floor(list.length * share)];
  console.log(`${kind}: ${at(0.25)} / ${at(0.5)} / ${at(0.75)} ns (quartiles of ${list.length})`);
}
