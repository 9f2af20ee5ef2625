/** Options that would give a column of texts another type: decimal commas and local forms of dates. */
import type { SourceValue } from '../formats/row-block.js';
import { dateReader, pointed } from './text-reading.js';

const DAYS = [
  ...['DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY', 'DD-MM-YYYY', 'MM-DD-YYYY', 'YYYY.MM.DD'],
  ...['DD.MM.YY', 'DD/MM/YY', 'MM/DD/YY', 'DD MON YYYY', 'DD-MON-YYYY', 'MON DD, YYYY'],
];
const TIMES = ['', ' HH24:MI', ' HH24:MI:SS', ' HH12:MI AM', ' HH12:MI:SS AM'];

interface UsualFormat {
  readonly format: string;
  /** Matches texts with exactly these signs. */
  readonly form: RegExp;
}

const FORMS: Readonly<Record<string, string>> = {
  ...{ YYYY: '\\d{4}', YY: '\\d{2}', MM: '\\d{1,2}', MON: '[A-Za-z]{3}', DD: '\\d{1,2}' },
  ...{ HH24: '\\d{1,2}', HH12: '\\d{1,2}', MI: '\\d{2}', SS: '\\d{2}', AM: '[AaPp][Mm]' },
};

const USUAL: readonly UsualFormat[] = DAYS.flatMap((day) => TIMES.map((time) => day + time)).map((format) => {
  const source = format.replace(/YYYY|YY|MON|MM|DD|HH24|HH12|MI|SS|AM|[.]/g, (part) => FORMS[part] ?? '\\.');
  return { format, form: new RegExp(`^${source}$`) };
});

/** The usual formats that all of the texts have; empty if there are no texts. */
function usualFormats(texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return [];
  const fitting = USUAL.filter(({ form }) => texts.every((text) => form.test(text)));
  return fitting.flatMap(({ format }) => {
    const read = dateReader([format]);
    return texts.every((text) => read(text) !== null) ? [format] : [];
  });
}

/** A sentence for the user about a column of texts; null = there is nothing to propose. */
export function proposalFor(values: readonly SourceValue[], nulls: ReadonlySet<string>): string | null {
  const texts: string[] = [];
  for (const value of values) {
    if (value === null || value === undefined || value === '') continue;
    if (typeof value !== 'string') return null;
    if (!nulls.has(value)) texts.push(value.trim());
  }
  if (texts.length === 0) return null;
  if (texts.some((text) => text.includes(',')) && texts.every((text) => pointed(text) !== null)) {
    return `numbers such as ${texts.find((text) => text.includes(','))}: --decimal , imports them as numbers`;
  }
  const formats = usualFormats(texts);
  if (formats.length === 0) return null;
  const options = formats.map((format) => `--date-format ${/[ ,]/.test(format) ? `'${format}'` : format}`);
  const which = formats.length === 1 ? '' : ' (the values fit each of these: choose)';
  return `dates such as ${texts[0]}: ${options.join(' or ')} imports them as dates${which}`;
}
