/** TO_NUMBER: reads a number that has the form of a template. */
import { QuarryError, quoted, rememberLast } from '../../base/index.js';
import { type NumberTemplate, readNumberTemplate } from './template.js';

/** Literal text of the template is skipped; group separators and currency signs are ignored wherever they are. */
const NUMBER = /^(<?)([+-]?)(\d*)(?:\.(\d*))?([+-]?)(>?)$/;

/** TO_NUMBER(text, template): the number as text. Throws 6000 for a text that does not fit. */
export function makeReadNumber(): (text: string, template: string) => string {
  const read = rememberLast(readNumberTemplate);
  return (text, template) => numberIn(text, template, read(template));
}

function numberIn(
  text: string,
  template: string,
  { tokens, before, after, hasPoint }: NumberTemplate,
): string {
  let bare = text;
  for (const token of tokens) if (token.is === 'literal') bare = bare.replace(token.text, '');
  bare = bare.replace(/[\s,$€£¥]/gu, '');
  const match = NUMBER.exec(bare);
  const refused = (): QuarryError => {
    const message = `${quoted(text)} does not match the format ${quoted(template)}`;
    return new QuarryError(6000, message, { message });
  };
  if (match === null) throw refused();
  const [, open, sign, whole, fraction = '', trailing, close] = match;
  const isBracketed = open === '<' && close === '>';
  const signs = [sign, trailing, isBracketed ? '-' : ''].filter((one) => one !== '');
  const digits = whole.replace(/^0+(?=\d)/, '');
  const fits = digits.length <= before && fraction.length <= after && (fraction === '' || hasPoint);
  if (!fits || signs.length > 1 || whole + fraction === '' || (open !== '' && !isBracketed)) throw refused();
  return `${signs[0] === '-' ? '-' : ''}${digits === '' ? '0' : digits}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The number of digits after the point in numbers that the template reads. Throws 6000. */
export const templateScale = (template: string): number => readNumberTemplate(template).after;
