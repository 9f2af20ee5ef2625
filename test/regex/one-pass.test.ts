/** One-pass patterns match as in RE2, with the same groups; others are left to it. */
import { RE2JS } from 're2js';
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { onePass } from '../../src/regex/one-pass.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

const PLAIN = { dotAll: true, ignoreCase: false };

const atom = (prng: Prng): string =>
  prng.pick([
    'a',
    'b',
    'K',
    's',
    'c',
    '/',
    '[j-l]',
    '[^K]',
    '[ab]',
    '[^a]',
    '[^ab]',
    '[a-c]',
    '.',
    '\\.',
    '😀',
    '\\x{1f600}',
  ]);

function generateItem(prng: Prng, depth: number): string {
  if (depth === 0 || prng.chance(0.6)) return atom(prng);
  return `(${prng.pick(['', '?:'])}${generateChoice(prng, depth - 1)})`;
}

function generateList(prng: Prng, depth: number): string {
  const quantifier = (): string => prng.pick(['', '', '', '*', '+', '?', '{2}', '{1,2}', '{0,3}', '{2,}']);
  return Array.from({ length: prng.below(4) }, () => generateItem(prng, depth) + quantifier()).join('');
}

const generateChoice = (prng: Prng, depth: number): string =>
  Array.from({ length: prng.chance(0.7) ? 1 : prng.between(2, 3) }, () => generateList(prng, depth)).join(
    '|',
  );

const generateText = (prng: Prng): string =>
  Array.from({ length: prng.below(8) }, () =>
    prng.pick(['a', 'b', 'B', 'k', 's', '\u212a', '\u017f', 'c', '/', '.', '\n', '😀', 'é']),
  ).join('');

/** The match at the beginning of a text and its groups, as text; null = none. */
function matchOf(pattern: RE2JS, text: string): string | null {
  const matcher = pattern.matcher(text);
  if (!matcher.find()) return null;
  const groups = Array.from({ length: pattern.groupCount() + 1 }, (_, group) => matcher.group(group));
  return JSON.stringify([matcher.start(), ...groups]);
}

t.test('generated patterns match as in RE2', async (t) => {
  const prng = new Prng(SEED);
  const wrong: string[] = [];
  let [taken, matched] = [0, 0];
  for (let round = 0; round < 20_000; round++) {
    const source = `^${generateList(prng, 3)}${prng.pick(['', '$'])}`;
    const options = { dotAll: prng.chance(0.5), ignoreCase: prng.chance(0.5) };
    const pattern = onePass(source, options);
    if (pattern === null) continue;
    taken++;
    const flags = (options.dotAll ? RE2JS.DOTALL : 0) | (options.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    const oracle = RE2JS.compile(source, flags | RE2JS.LONGEST_MATCH);
    for (let texts = 0; texts < 10; texts++) {
      const text = generateText(prng);
      const found = pattern.exec(text);
      const got = found && JSON.stringify([found.index, ...Array.from(found, (group) => group ?? null)]);
      const wanted = matchOf(oracle, text);
      if (wanted !== null) matched++;
      if (got !== wanted) wrong.push(`${source} on ${JSON.stringify(text)}: ${got} instead of ${wanted}`);
    }
  }
  t.strictSame(wrong.slice(0, 3), [], `${wrong.length} differ`);
  t.ok(taken > 1_000 && matched > 1_000, `${taken} of 20,000 patterns, ${matched} matches`);
});

t.test('common patterns of addresses, dates and codes are taken', async (t) => {
  for (const source of [
    '^https?:\\/\\/(?:www\\.)?([^\\/]+)\\/.*$',
    '^https?://(?:www\\.)?([^/]+)/.*$',
    '^[A-Z]{2}[0-9]{4}$',
    '^([0-9]{4})-([0-9]{2})-([0-9]{2})',
    '^(GET|POST|DELETE) /v1/(?:[a-z]+)',
    '^[^@]+@[^@]+$',
  ]) {
    t.ok(onePass(source, PLAIN), source);
  }
});

t.test(
  'what may take more than one pass, or means something else in JavaScript, is left to RE2',
  async (t) => {
    for (const source of [
      'a',
      '^a|b',
      '^a|b$',
      '^(a+)+$',
      '^(a|a)*$',
      '^(a|ab)(c|bcd)$',
      '^a*a$',
      '^.*b',
      '^(a|)b',
      '^(|a)b',
      '^(a?)*b',
      '^((a)|b)*c',
      '^a*?b',
      '^a++',
      '^\\bword',
      '^\\pL+',
      '^\\w+',
      '^[[:alpha:]]+',
      '^(?i)a',
      '^a^b',
      '^a$b',
      '^(?=a)',
      '^(a',
      '^[a',
      '^a{2',
      '^a{3,2}',
      '^[b-a]',
      '^a\\',
      '',
      `^${'('.repeat(200)}a${')'.repeat(200)}`,
    ]) {
      const pattern = onePass(source, PLAIN);
      if (source === '^(a|)b') t.ok(pattern, 'an empty alternative is allowed at the end');
      else t.equal(pattern, null, source);
    }
  },
);
