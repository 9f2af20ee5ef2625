export { ImportError } from './formats/row-block.js';
export { type ImportFilesContext, type ImportTotals, importFiles } from './import-files.js';
export { type ImportLine, type ImportOptions, readImportLine } from './import-options.js';
