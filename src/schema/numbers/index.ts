export { makeReadNumber, templateScale } from './read-number.js';
export { readNumberTemplate } from './template.js';
export { makeWriteNumber } from './write-number.js';
