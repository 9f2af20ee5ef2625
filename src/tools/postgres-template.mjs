/**
 * Creates the packed data directory with which the catalog for Postgres clients starts. It is created at build time, because
 * creating one takes several seconds and three times the memory.
 *   node src/tools/postgres-template.mjs FILE
 */
import fs from 'node:fs';
import { gzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';

const [file] = process.argv.slice(2);
const database = await PGlite.create({ initDbStartParams: ['--wal-segsize=1'] });
// The template databases are copies of the only database that is used.
await database.exec('UPDATE pg_database SET datistemplate = false');
for (const name of ['template0', 'template1']) await database.exec(`DROP DATABASE ${name}`);
await database.exec('VACUUM FULL');
await database.exec('CHECKPOINT');
const tar = await database.dumpDataDir('none');
const packed = gzipSync(Buffer.from(await tar.arrayBuffer()), { level: 9 });
// Renaming leaves one complete file if several processes build at the same time.
fs.writeFileSync(`${file}.${process.pid}`, packed);
fs.renameSync(`${file}.${process.pid}`, file);
process.exit(0);
