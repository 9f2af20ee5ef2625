/** `quarry import`: inserts the rows of files into a dimension of a running server. */
import { NodeFileSystem } from '../../io/index.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import { REMOTE_HELP, readRemote } from '../remote/index.js';
import { importFiles, readImportLine } from './index.js';

export const importHelp = `quarry import [options] FILE...

Inserts the rows of CSV, NDJSON, Arrow (files and streams) and Parquet files, also compressed by gzip or zstd, into a
dimension of a running server; - is standard input (not for Parquet). Before the first row is sent, it shows which column
of the file goes into which column of the dimension, and with which type. Types are taken from the file's schema or guessed
from its first 10,000 rows. Existing columns of the dimension are kept as they are; missing columns are made.

  --dimension NAME  where the rows go; made when it is missing (default: the one that the lines of quarry export --format
                    insert name, else default)
  --id A,B          the columns of which the entity ID is made, joined by "-" (default: the column entity-id or id, else
                    :line, which makes IDs of the file's name and the row's number)
  --event COLUMN:VALUE:DATE
                    each row is an event of the event column COLUMN, its value and its date in columns VALUE and DATE of
                    the file; may be repeated. Columns used so are not imported beside, unless --columns names them
  --columns A,B     import these columns of the file only        --skip A,B   do not import these
  --rename OLD=NEW  the column's name in the dimension; may be repeated
  --type NAME=TYPE  string, integer, decimal, decimal(2), boolean, date, datetime, geolocation; with [] behind it a list of
                    values; may be repeated
  --null TEXT       stands for no value, as an empty field does; may be repeated
  --format F        csv, ndjson, arrow or parquet (default: detected by content, then by name)
  --delimiter C     of CSV: one character, \\t or tab for a tab (default: a comma; of .tsv a tab)
  --header A,B      names of the columns of a CSV file without a header line
  --no-create       make no dimension and no column
  --dry-run         show the mapping and the first insert, count rows and bad rows, send nothing
  --limit N         the first N rows only                        --skip-rows N   begin behind row N
  --bad FILE        where bad rows go, as NDJSON (default: FILE.bad.ndjson)
  --max-bad N       stop when more rows are bad (default: go on, unless all of the first 1,000 are)
  --state FILE      how far it is (default: FILE.import.json; none for standard input)
  --retry-seconds N give up when the server took nothing for so long (default: 60)
  --connections N   inserts under way at once (default: 4)
${REMOTE_HELP}
A row is bad when it cannot be read, when a value does not fit its column, when it has no ID or no value, or when the server
refuses it. The others go in. Rows with the same ID are one entity: events of all are kept, of other values the last.
Event dates in numbers are Unix times. Dates without a zone are UTC. Floating-point numbers are rounded to the places of
their column.

An import that ended early goes on when the same command is given again, and inserts nothing twice: every insert has an
Idempotency-Key made of the file's name, size and content and of the mapping, by which the server knows it for 24 hours, and
the state file tells how far it came. So a whole file that is imported again within 24 hours changes nothing; later its events
are inserted again. A file that was renamed or changed is another file.

Examples:
  quarry import --data-dir ./store people.csv
  quarry import --dimension visits --id user --event page:url:at --null NA visits.ndjson.gz
  zcat log.csv.gz | quarry import --dimension log --type code=string -

Exit codes: 0 all rows are in, 1 it failed or was ended, 2 wrong arguments or options, 4 done, but some rows are bad.
`;

export async function importCommand(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const line = readImportLine(argv);
  if ('wrong' in line) return context.usage(line.wrong);
  const access = await readRemote(line.flags, 'write-key', context);
  if ('wrong' in access) return context.usage(access.wrong);
  const { bad } = await importFiles({
    options: line.options,
    access,
    files: new NodeFileSystem(),
    stdin: context.stdin,
    out: context.out,
    progress: context.stderr,
    note: context.note,
    signal: context.interrupted(),
    elapsedMs: () => performance.now(),
    nowMs: () => Date.now(),
    random: Math.random,
  });
  return bad === 0 ? EXIT.done : EXIT.partly;
}

export { importCommand as run, importHelp as help };
