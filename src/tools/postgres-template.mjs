/**
 * The data directory that the catalog for clients of Postgres begins with, made once at build time and packed: making one anew
 * takes several seconds and three times the memory.
 *   node src/tools/postgres-template.mjs FILE
 */
import fs from 'node:fs';
import { gzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';

const [file] = process.argv.slice(2);
const database = await PGlite.create({ initDbStartParams: ['--wal-segsize=1'] });
// Copies of what the one database holds that is used.
await database.exec('UPDATE pg_database SET datistemplate = false');
for (const name of ['template0', 'template1']) await database.exec(`DROP DATABASE ${name}`);
await database.exec('VACUUM FULL');
await database.exec('CHECKPOINT');
const tar = await database.dumpDataDir('none');
const packed = gzipSync(Buffer.from(await tar.arrayBuffer()), { level: 9 });
// Processes that build at the same time leave one whole file.
fs.writeFileSync(`${file}.${process.pid}`, packed);
fs.renameSync(`${file}.${process.pid}`, file);
process.exit(0);
