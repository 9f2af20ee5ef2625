/** Seeded lines of entities, valid and invalid, and the insert body of the same entities. */
import type { Prng } from '../../src/base/index.js';

const GAPS = ['', '', '', '', ' ', '\t', '  \r '];
const IDS = ['u', 'U', 'person-', 'ÄÖ', '\\u0041\\"', 'x'.repeat(40), '\\\\'];
const RIGHT: readonly (readonly [string, readonly string[]])[] = [
  ['country', ['"x"', '"İstanbul"', '"}\\n{"', 'null']],
  ['a-integer', ['7', '-9223372036854775808', '12']],
  ['a-decimal', ['1.5', '12345.678901']],
  ['a-boolean', ['true', 'false']],
  ['list-of-integer-values', ['[]', '[1, 2]', 'null']],
  ['string-event', ['{"value":"a"}', '[{"value":"b","date":"2024-01-02"},{"value":"c"}]']],
  ['a-geolocation', ['[1.5, -2]']],
];
const WRONG = ['"no":1', '"country":5', '"a-integer":"x"', '"entity-id":"u"', '"a-boolean":[]', '"gone":1'];

export class GeneratedLines {
  /** The lines of `lines` joined to one text; each line is one entity or empty. */
  readonly text: string;
  readonly body: string;
  /** The number of the first invalid line, from 1; 0 = all are valid. */
  readonly faultLine: number;

  constructor(random: Prng) {
    const [lines, entities]: [string[], string[]] = [[], []];
    const count = random.between(0, 8);
    const errorAt = random.chance(0.5) ? random.below(count + 1) : -1;
    let errorLine = 0;
    for (let index = 0; index < count; index++) {
      while (random.chance(0.1)) lines.push(random.pick(['', ' ', '\t\r']));
      const isWrong = index === errorAt;
      if (isWrong) errorLine = lines.length + 1;
      const id = `"${random.pick(IDS)}${index}"`;
      const members = membersOf(random, isWrong);
      entities.push(`${id}:{${members.join(',')}}`);
      members.splice(random.chance(0.7) ? 0 : random.below(members.length + 1), 0, idMember(random, id));
      const gap = (): string => random.pick(GAPS);
      const inner = members.map((member) => `${gap()}${member}${gap()}`).join(',');
      lines.push(`${gap()}{${inner}}${gap()}`);
    }
    const end = random.pick(['', '\n', '\r\n', '\n\n ']);
    this.text = lines.join(random.pick(['\n', '\r\n'])) + end;
    this.body = `{${entities.join(',')}}`;
    this.faultLine = errorLine;
  }
}

function idMember(random: Prng, id: string): string {
  return `${random.chance(0.1) ? '"\\u0069d"' : '"id"'}${random.pick(GAPS)}:${random.pick(GAPS)}${id}`;
}

function membersOf(random: Prng, isWrong: boolean): string[] {
  const members = RIGHT.filter(() => random.chance(0.4)).map(
    ([name, values]) => `"${name}":${random.pick(values)}`,
  );
  if (members.length === 0) members.push('"country":"y"');
  if (random.chance(0.3)) members.splice(random.below(members.length + 1), 0, '"dimension":"people"');
  if (isWrong) members.splice(random.below(members.length + 1), 0, random.pick(WRONG));
  return members;
}
