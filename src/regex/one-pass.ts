/**
 * Patterns that JavaScript's own engine matches in linear time and as RE2 does: those that begin with ^, and in which the next
 * character always decides whether a repetition goes on and which alternative is taken (one-pass patterns). Every other way on
 * then fails at its first character, so that each step is tried at most twice. A few optional parts outside of repetitions may
 * leave the decision open, as www in ^(?:www\.)?([^/]+)/.*$, which doubles the number of ways for each; the pattern must end
 * with $, so that every match has the same end, and the first one is also the longest.
 * Left to RE2, although some would be: classes by name, edges of words, empty alternatives before others, repetitions of what
 * may be empty, groups that are captured in each round of a repetition, and non-greedy quantifiers.
 */

/** Ranges of code points, both ends included, ascending and apart. */
type Points = readonly (readonly [number, number])[];

type Node =
  | { readonly is: 'points'; readonly points: Points }
  | { readonly is: 'list'; readonly items: readonly Node[] }
  | { readonly is: 'choice'; readonly members: readonly Node[] }
  | { readonly is: 'group'; readonly of: Node; readonly captured: boolean }
  | { readonly is: 'repeat'; readonly of: Node; readonly min: number; readonly max: number };

const POINT_MAX = 0x10ffff;
const ALL: Points = [[0, POINT_MAX]];
const LINE_END: Points = [[10, 10]];
const KELVIN_SIGN = 0x212a;
const LONG_S = 0x17f;
const CONTROL_ESCAPES: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11 };

/** Optional parts that leave the decision open. */
const OPEN_OPTIONS_MAX = 3;

/** Groups nest at most this deep. */
const DEPTH_MAX = 50;

export interface OnePassOptions {
  /** Whether . matches line ends. */
  readonly dotAll: boolean;
  readonly ignoreCase: boolean;
}

/**
 * The pattern, in RE2's syntax, for JavaScript's engine; null if it is not of this kind. It matches at the beginning of a
 * text only.
 */
export function onePass(source: string, options: OnePassOptions): RegExp | null {
  try {
    const reader = new Reader(source, options);
    const pattern = reader.read();
    const { atEnd } = reader;
    const allowance = { left: atEnd ? OPEN_OPTIONS_MAX : 0 };
    return isOnePass(pattern, [], allowance)
      ? new RegExp(`^${written(pattern)}${atEnd ? '$' : ''}`, 'u')
      : null;
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

class Unsupported extends Error {}

class Reader {
  readonly #points: readonly string[];
  readonly #any: Points;
  readonly #ignoreCase: boolean;
  #at = 0;
  /** Whether the pattern ends with $. */
  atEnd = false;

  constructor(source: string, { dotAll, ignoreCase }: OnePassOptions) {
    this.#points = Array.from(source);
    this.#any = dotAll ? ALL : complement(LINE_END);
    this.#ignoreCase = ignoreCase;
  }

  /** Reads the pattern between ^ and $. */
  read(): Node {
    if (this.#next() !== '^') throw new Unsupported();
    const pattern = this.#choice(0);
    if (this.#at < this.#points.length) throw new Unsupported();
    // ^a|b is (^a)|b, and a|b$ is a|(b$).
    if (pattern.is === 'choice') throw new Unsupported();
    return pattern;
  }

  #peek(ahead = 0): string {
    return this.#points[this.#at + ahead] ?? '';
  }

  #next(): string {
    return this.#points[this.#at++] ?? '';
  }

  #choice(depth: number): Node {
    if (depth > DEPTH_MAX) throw new Unsupported();
    const members = [this.#list(depth)];
    while (this.#peek() === '|') {
      this.#at++;
      members.push(this.#list(depth));
    }
    return members.length === 1 ? members[0] : { is: 'choice', members };
  }

  #list(depth: number): Node {
    const items: Node[] = [];
    while (!['', '|', ')'].includes(this.#peek())) {
      if (this.#peek() === '$' && this.#at === this.#points.length - 1 && depth === 0) {
        this.#at++;
        this.atEnd = true;
      } else items.push(this.#quantified(this.#item(depth)));
    }
    return { is: 'list', items };
  }

  #item(depth: number): Node {
    const point = this.#next();
    if (point === '(') {
      const captured = this.#peek() !== '?';
      if (!captured && !(this.#peek(1) === ':')) throw new Unsupported();
      if (!captured) this.#at += 2;
      const of = this.#choice(depth + 1);
      if (this.#next() !== ')') throw new Unsupported();
      return { is: 'group', of, captured };
    }
    if (point === '[') return { is: 'points', points: this.#class() };
    if (point === '.') return { is: 'points', points: this.#any };
    if ('^$*+?{}'.includes(point)) throw new Unsupported();
    const code = point === '\\' ? this.#escaped() : codeOf(point);
    return { is: 'points', points: this.#withCases([[code, code]]) };
  }

  #quantified(of: Node): Node {
    const [min, max] = this.#count();
    if (min === 1 && max === 1) return of;
    // A second quantifier, or a non-greedy one.
    if (this.#peek() !== '' && '*+?{'.includes(this.#peek())) throw new Unsupported();
    return { is: 'repeat', of, min, max };
  }

  #count(): readonly [number, number] {
    const quantifier = this.#peek();
    if (quantifier === '' || !'*+?{'.includes(quantifier)) return [1, 1];
    this.#at++;
    if (quantifier === '*') return [0, Number.POSITIVE_INFINITY];
    if (quantifier === '+') return [1, Number.POSITIVE_INFINITY];
    if (quantifier === '?') return [0, 1];
    let text = '';
    while (this.#peek() !== '}') {
      if (this.#peek() === '') throw new Unsupported();
      text += this.#next();
    }
    this.#at++;
    const found = /^(\d{1,4})(,(\d{1,4})?)?$/.exec(text);
    if (found === null) throw new Unsupported();
    const min = Number(found[1]);
    const max =
      found[2] === undefined ? min : found[3] === undefined ? Number.POSITIVE_INFINITY : Number(found[3]);
    if (max < min || max === 0 || (min === 1 && max === 1)) throw new Unsupported();
    return [min, max];
  }

  /** The inside of brackets. */
  #class(): Points {
    const negated = this.#peek() === '^';
    if (negated) this.#at++;
    const ranges: (readonly [number, number])[] = [];
    while (this.#peek() !== ']' || ranges.length === 0) {
      const from = this.#classPoint();
      let to = from;
      if (this.#peek() === '-' && this.#peek(1) !== ']') {
        this.#at++;
        to = this.#classPoint();
      }
      if (to < from) throw new Unsupported();
      ranges.push([from, to]);
    }
    this.#at++;
    const points = this.#withCases(union(ranges));
    return negated ? complement(points) : points;
  }

  #withCases(points: Points): Points {
    if (!this.#ignoreCase) return points;
    if (points.some(([, to]) => to > 127)) throw new Unsupported();
    const letters = points.flatMap(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_, at) => from + at),
    );
    return union([...points, ...letters.flatMap(otherCases).map((code) => [code, code] as const)]);
  }

  #classPoint(): number {
    const point = this.#next();
    if (point === '' || point === '[' || point === ']' || point === '-') throw new Unsupported();
    return point === '\\' ? this.#escaped() : codeOf(point);
  }

  /** The code point after a backslash. */
  #escaped(): number {
    const point = this.#next();
    if (point in CONTROL_ESCAPES) return CONTROL_ESCAPES[point];
    if (point !== 'x') {
      if (point === '' || /[A-Za-z0-9]/.test(point)) throw new Unsupported();
      return codeOf(point);
    }
    const rest = this.#points.slice(this.#at, this.#at + 12).join('');
    const found = /^\{([0-9a-f]{1,6})\}|^([0-9a-f]{2})/i.exec(rest);
    if (found === null) throw new Unsupported();
    this.#at += found[0].length;
    const code = Number.parseInt(found[1] ?? found[2], 16);
    if (code > POINT_MAX) throw new Unsupported();
    return code;
  }
}

/** The other characters of Unicode that equal an ASCII letter without regard to case. */
function otherCases(code: number): readonly number[] {
  const letter = String.fromCharCode(code).toLowerCase();
  if (!/[a-z]/.test(letter)) return [];
  const cases = [codeOf(letter), codeOf(letter.toUpperCase())];
  if (letter === 'k') cases.push(KELVIN_SIGN);
  if (letter === 's') cases.push(LONG_S);
  return cases;
}

const codeOf = (point: string): number => point.codePointAt(0) as number;

function union(ranges: Points): Points {
  const joined: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

function complement(points: Points): Points {
  const others: [number, number][] = [];
  let next = 0;
  for (const [from, to] of points) {
    if (from > next) others.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= POINT_MAX) others.push([next, POINT_MAX]);
  return others;
}

const meet = (a: Points, b: Points): boolean =>
  a.some(([from, to]) => b.some(([otherFrom, otherTo]) => from <= otherTo && otherFrom <= to));

function isNullable(node: Node): boolean {
  switch (node.is) {
    case 'points':
      return false;
    case 'list':
      return node.items.every(isNullable);
    case 'choice':
      return node.members.some(isNullable);
    case 'group':
      return isNullable(node.of);
    case 'repeat':
      return node.min === 0 || isNullable(node.of);
  }
}

/** The characters that a match may begin with. */
function firstOf(node: Node): Points {
  switch (node.is) {
    case 'points':
      return node.points;
    case 'list': {
      const end = node.items.findIndex((item) => !isNullable(item));
      return union(node.items.slice(0, end < 0 ? node.items.length : end + 1).flatMap(firstOf));
    }
    case 'choice':
      return union(node.members.flatMap(firstOf));
    default:
      return firstOf(node.of);
  }
}

/** Counts what is allowed although both ways may go on. */
interface Allowance {
  left: number;
}

/** `next`: the characters that may follow the node. */
function isOnePass(node: Node, next: Points, allowance: Allowance): boolean {
  switch (node.is) {
    case 'points':
      return true;
    case 'list': {
      let following = next;
      for (const item of [...node.items].reverse()) {
        if (!isOnePass(item, following, allowance)) return false;
        following = isNullable(item) ? union([...firstOf(item), ...following]) : firstOf(item);
      }
      return true;
    }
    case 'choice':
      return isChoiceOnePass(node.members, next, allowance);
    case 'group':
      return isOnePass(node.of, next, allowance);
    case 'repeat': {
      const { of, min, max } = node;
      if (isNullable(of) || (max > 1 && hasCaptured(of))) return false;
      const first = firstOf(of);
      if (max > 1) {
        return !(max > min && meet(first, next)) && isOnePass(of, union([...first, ...next]), { left: 0 });
      }
      if (meet(first, next) && allowance.left-- <= 0) return false;
      return isOnePass(of, next, allowance);
    }
  }
}

function isChoiceOnePass(members: readonly Node[], next: Points, allowance: Allowance): boolean {
  const taken: Points[] = [];
  for (const [index, member] of members.entries()) {
    const nullable = isNullable(member);
    // What may be empty would be taken before a longer alternative.
    if (nullable && index < members.length - 1) return false;
    const first = nullable ? union([...firstOf(member), ...next]) : firstOf(member);
    if (taken.some((other) => meet(other, first)) || !isOnePass(member, next, allowance)) return false;
    taken.push(first);
  }
  return true;
}

function hasCaptured(node: Node): boolean {
  switch (node.is) {
    case 'points':
      return false;
    case 'list':
      return node.items.some(hasCaptured);
    case 'choice':
      return node.members.some(hasCaptured);
    case 'group':
      return node.captured || hasCaptured(node.of);
    case 'repeat':
      return hasCaptured(node.of);
  }
}

/** The node in JavaScript's syntax. */
function written(node: Node): string {
  switch (node.is) {
    case 'points':
      return `[${node.points.map(([from, to]) => `${pointText(from)}-${pointText(to)}`).join('')}]`;
    case 'list':
      return node.items.map(written).join('');
    case 'choice':
      return node.members.map(written).join('|');
    case 'group':
      return `(${node.captured ? '' : '?:'}${written(node.of)})`;
    case 'repeat':
      return `${written(node.of)}{${node.min},${Number.isFinite(node.max) ? node.max : ''}}`;
  }
}

const pointText = (point: number): string => `\\u{${point.toString(16)}}`;
