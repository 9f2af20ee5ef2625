/** `quarry import`: inserts the rows of files into a dimension of a running server. */
import { NodeFileSystem } from '../../io/index.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import { REMOTE_HELP, readRemote } from '../remote/index.js';
import { ENCODINGS } from './formats/encoding.js';
import { importFiles, readImportLine } from './index.js';
import { importSegments } from './segments.js';

export const importHelp = `quarry import [options] FILE...

Inserts the rows of CSV, NDJSON, Arrow (files and streams) and Parquet files, also compressed by gzip or zstd, into a
dimension of a running server. FILE is a file, a directory (all its files of these formats), a pattern in quotes such as
'logs/*.csv', an address (https://...), or - for standard input (not for Parquet). Several files are imported one after
the other. Before it sends the first row, the command shows
which column of the file is imported into which column of the dimension, and with which type. Types are taken from the
file's schema or guessed from its first 10,000 rows. Existing columns are not changed; missing columns are created.

  --dimension NAME  the target dimension; created if missing (default: the one named in the lines of quarry export
                    --format insert, otherwise "default")
  --id A,B          the columns that form the entity ID, joined by "-" (default: the column entity-id or id, otherwise
                    :line, which forms IDs from the name of the file and the number of the row; files of the same
                    name then need an ID)
  --event COLUMN:VALUE:DATE
                    each row is an event of the event column COLUMN, with its value and date in the columns VALUE and
                    DATE of the file; may be repeated. These two are not imported as attributes unless --columns names
                    them
  --columns A,B     import only these columns of the file        --skip A,B   do not import these
  --rename OLD=NEW  the column's name in the dimension; may be repeated
  --type NAME=TYPE  string, integer, decimal, decimal(2), boolean, date, datetime, geolocation; followed by [] for a list
                    of values; may be repeated
  --null TEXT       a text that means a missing value, as an empty field does; may be repeated. Empty texts in quotes, in
                    NDJSON, Arrow and Parquet become NULL, too, and are named at the end unless --null '' is among these
  --format F        csv, ndjson, arrow or parquet (default: detected by content, then by name)
  --delimiter C     the delimiter of CSV: one character; \\t or tab for a tab (default: that of , ; | and tab that
                    divides the first rows into equally many fields; must be named if two of them do)
  --header A,B      names of the columns of a CSV file without a header line
  --encoding E      of CSV and NDJSON: ${ENCODINGS.join(', ')} (default: that of the
                    byte order mark, otherwise utf-8)
  --decimal C       the sign before decimals in texts: , or . (default: .); with a comma, groups of three digits may be
                    divided by dots, spaces or apostrophes
  --date-format F   a form of dates and times besides ISO 8601, as for TO_TIMESTAMP, such as DD.MM.YYYY or
                    'MM/DD/YYYY HH12:MI AM'; may be repeated: the first that fits a value is used, and ISO 8601
                    if none does
  --no-create       create neither the dimension nor columns
  --case preserve   texts and entity IDs of what is created keep their case (fold: lower case; default: as the database)
  --dry-run         show the mapping and the first insert, count rows and bad rows, send nothing
  --limit N         import only the first N rows                 --skip-rows N   begin after row N
  --bad FILE        the file for bad rows, as NDJSON (default: FILE.bad.ndjson)
  --max-bad N       stop after more than N bad rows (default: only if all of the first 1,000 rows are bad)
  --state FILE      the file that records the progress (default: FILE.import.json; none for standard input)
  --retry-seconds N give up if the server accepts nothing for this time (default: 60)
  --connections N   number of concurrent inserts (default: 4)
  --threads N       number of threads that read CSV and NDJSON (default: the number of cores, at most 4)
  --segments FILE   make the segments that quarry export --segments wrote, without other options than the ones below;
                    if one of their names exists, none is made
${REMOTE_HELP}
A row is bad if it cannot be read, if a value does not fit its column, if it has no ID or no value, or if the server
refuses it. All other rows are imported. Rows with the same ID are one entity: the events of all rows are kept, and the
last row determines the other values. Numeric event dates are Unix times. Dates without a time zone are UTC.
Floating-point numbers are rounded to the decimal places of their column.

An import that ended early resumes when the same command is run again, and inserts nothing twice: every insert has an
Idempotency-Key, which is derived from the name, size and content of the file and from the mapping and which the server
remembers for 24 hours. The state file records the progress. Importing a complete file again changes nothing within 24
hours; after that, its events are inserted again. A file that was renamed or changed counts as another file.

Examples:
  quarry import --data-dir ./store people.csv
  quarry import --dimension visits --id user --event page:url:at --null NA visits.ndjson.gz
  zcat log.csv.gz | quarry import --dimension log --type code=string -
  quarry import --dimension sales --decimal , --date-format DD.MM.YYYY 'sales/2026-*.csv'

Exit code 0: all rows were imported; 1: the import failed or was interrupted; 2: wrong arguments or options; 4: done, but
some rows are bad.
`;

export async function importCommand(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  if (argv.some((word) => /^--segments(=|$)/.test(word))) return importSegments(argv, context);
  const line = readImportLine(argv);
  if ('wrong' in line) return context.usage(line.wrong);
  const access = await readRemote(line.flags, 'write-key', context);
  if ('wrong' in access) return context.usage(access.wrong);
  const { bad } = await importFiles({
    options: line.options,
    threadFile: context.importThreadFile,
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
