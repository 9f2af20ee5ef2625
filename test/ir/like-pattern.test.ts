import t from 'tap';
import { textPattern } from '../../src/ir/index.js';

t.test('a pattern is simplified to an equivalent test', async (t) => {
  const expected: readonly (readonly [
    pattern: string,
    escapedBy: string | null,
    match: string,
    text: string,
    least: number,
  ])[] = [
    ['', null, 'equals', '', 0],
    ['%', null, 'any', '', 0],
    ['%%', null, 'any', '', 0],
    ['abc', null, 'equals', 'abc', 3],
    ['ab%', null, 'starts-with', 'ab', 2],
    ['ab%%', null, 'starts-with', 'ab', 2],
    ['%😀b', null, 'ends-with', '😀b', 2],
    ['%%ab%', null, 'contains', 'ab', 2],
    ['a%b', null, 'like', 'a%b', 2],
    ['%a%%b%', null, 'like', '%a%b%', 2],
    ['_', null, 'like', '_', 1],
    ['a_%\\', null, 'like', 'a_%\\\\', 3],
    ['10!%', '!', 'equals', '10%', 3],
    ['10!%%', '!', 'starts-with', '10%', 3],
    ['!%%_', '!', 'like', '\\%%_', 2],
    ['!!_!', '!', 'like', '!_!', 3],
    ['%%a', '%', 'equals', '%a', 2],
  ];
  for (const [pattern, escapedBy, match, text, least] of expected) {
    t.strictSame(textPattern(pattern, escapedBy), { match, text, least }, `${pattern} by ${escapedBy}`);
  }
});
