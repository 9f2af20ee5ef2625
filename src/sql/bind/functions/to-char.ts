/** TO_CHAR of dates and numbers, and TO_NUMBER: the templates of PostgreSQL. */
import { BOOLEAN, TEXT } from '../../../ir/index.js';
import { readNumberTemplate, templateScale } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import { callOf, castOf, constantOf, isNull, isTextConstant } from '../expressions/build.js';
import { isDate, isNumber, typeName } from '../expressions/types.js';
import { dateText } from './date-texts.js';
import { positioned, type SqlFunction } from './function.js';

type Make = SqlFunction['make'];

const toChar: Make = ([value, template], site) => {
  if (isNull(value)) return constantOf(TEXT, null);
  if (isDate(value.type)) return dateText(value, template, site);
  if (!isNumber(value.type)) {
    const what = `TO_CHAR takes a date or a number, not ${typeName(value.type)}`;
    throw sqlError(value.type.type === 'text' ? `${what}; CAST it first` : what, site.position);
  }
  if (isTextConstant(template)) positioned(site, () => readNumberTemplate(template.value));
  const isFloat = constantOf(BOOLEAN, value.type.type === 'float');
  return callOf('write-number', TEXT, [castOf(value, TEXT), template, isFloat]);
};

/** The template determines the decimal places of the result, so it is a constant. */
const toNumber: Make = ([text, template], site) => {
  if (!isTextConstant(template)) {
    throw sqlError('the format of TO_NUMBER is a text that is the same for all rows', site.position);
  }
  const scale = positioned(site, () => templateScale(template.value));
  return castOf(callOf('read-number', TEXT, [text, template]), { type: 'decimal', scale });
};

export const TO_CHAR_FUNCTIONS: readonly SqlFunction[] = [
  { names: ['to_char'], parameters: ['value', 'text'], make: toChar },
  { names: ['to_number'], parameters: ['text', 'text'], make: toNumber },
];
