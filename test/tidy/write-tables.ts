/** `npm run docs:tables`: writes every generated table into its document. documents.test.ts checks the result. */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT, read } from './source.js';
import { between, generatedTables, padded, TABLE_PAGES, type TableName } from './tables.js';

for (const [name, page] of Object.entries(TABLE_PAGES)) {
  const text = read(page);
  if (between(text, name) === null) throw new Error(`${page} has no marks <!-- ${name} -->`);
  const [before, behind] = [text.split(`<!-- ${name} -->`)[0], text.split(`<!-- /${name} -->`)[1]];
  const table = padded(generatedTables()[name as TableName]);
  fs.writeFileSync(
    path.join(ROOT, page),
    `${before}<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->${behind}`,
  );
}
