/**
 * Reads the pattern of a sequence: `(?N)` an event that satisfies condition N, `(?!N)` one that does not, `.` any event,
 * `.*` any number of events, `(?t<=S)` the seconds from the event matched last to the next one.
 */
import { QuarryError } from '../../base/index.js';
import type { PatternStep } from '../../ir/index.js';

const TOKEN = /\(\?(!?)([0-9]+)\)|\(\?t(<=|>=|==|<|>)([0-9]+)\)|\.\*|\./y;
const SHOWN_CHARS = 20;

/** What stands before the next event. */
interface Before {
  isLater: boolean;
  isTimed: boolean;
  secondsMin: number;
  secondsMax: number;
}

const nothing = (): Before => ({
  isLater: false,
  isTimed: false,
  secondsMin: 0,
  secondsMax: Number.MAX_SAFE_INTEGER,
});

/** Throws 9104 with the character, counted from 1. */
export function readPattern(text: string, conditionCount: number, path: string): readonly PatternStep[] {
  const wrong = (at: number, message: string): QuarryError =>
    new QuarryError(9104, `${path}: ${message} at character ${at + 1}`);
  const steps: PatternStep[] = [];
  let before = nothing();
  let timeAt = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) {
      throw wrong(at, `${JSON.stringify(text.slice(at, at + SHOWN_CHARS))} is no part of a pattern`);
    }
    const [token, negation, number, comparison, seconds] = found;
    if (token === '.*') before.isLater = true;
    else if (comparison !== undefined) {
      if (steps.length === 0) throw wrong(at, `no event is before "${token}"`);
      timeAt = at;
      addTime(before, comparison, Math.min(Number(seconds), Number.MAX_SAFE_INTEGER - 1));
    } else {
      const condition = token === '.' ? null : Number(number);
      if (condition !== null && (condition < 1 || condition > conditionCount)) {
        throw wrong(at, `"${token}" names none of the ${conditionCount} conditions`);
      }
      steps.push(stepOf(condition, negation === '!', before));
      before = nothing();
    }
  }
  if (before.isTimed) throw wrong(timeAt, 'no event is behind the time');
  if (steps.length === 0) throw wrong(0, 'the pattern can match nothing');
  return steps;
}

function addTime(before: Before, comparison: string, seconds: number): void {
  before.isTimed = true;
  const isStrict = comparison === '<' || comparison === '>';
  if (comparison !== '>' && comparison !== '>=') {
    before.secondsMax = Math.min(before.secondsMax, isStrict ? seconds - 1 : seconds);
  }
  if (comparison !== '<' && comparison !== '<=') {
    before.secondsMin = Math.max(before.secondsMin, isStrict ? seconds + 1 : seconds);
  }
}

const stepOf = (condition: number | null, isNegated: boolean, before: Before): PatternStep => ({
  event: condition === null ? null : condition - 1,
  isNegated,
  gap: before.isTimed ? 'timed' : before.isLater ? 'later' : 'next',
  secondsMin: before.secondsMin,
  secondsMax: before.secondsMax,
});
