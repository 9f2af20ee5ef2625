/** Tables of invalid requests, each with the expected code and the text that its message must contain. */

import type { Json } from '../../src/api/index.js';
import { QuarryError } from '../../src/base/index.js';
import { json } from './databases.js';

/** [description, body as JSON text, code, a part of the message] */
export type Refusal = readonly [string, string, number, string];

interface Asserter {
  strictSame(found: unknown, expected: unknown, message: string): unknown;
}

/** Runs every body through `run` and asserts that it is refused with the code and message of the table. */
export function assertRefusals(
  t: Asserter,
  refusals: readonly Refusal[],
  run: (body: Json) => unknown,
): void {
  for (const [shows, text, code, named] of refusals) {
    let found: unknown = 'accepted';
    try {
      run(json(text));
    } catch (error) {
      if (!(error instanceof QuarryError)) throw error;
      found = { code: error.code, message: error.message.includes(named) ? named : error.message };
    }
    t.strictSame(found, { code, message: named }, shows);
  }
}

/** Asserts that `run` throws all of these errors in this order: [code, a part of the message]. */
export function assertAllRefusals(
  t: Asserter,
  run: () => unknown,
  expected: readonly (readonly [number, string])[],
): void {
  let found: readonly QuarryError[] = [];
  try {
    run();
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    found = [error, ...error.also];
  }
  const reported = found.map(({ code, message }, index) => {
    const named = expected[index]?.[1];
    return [code, named !== undefined && message.includes(named) ? named : message];
  });
  t.strictSame(reported, expected, 'all faults, in order');
}
