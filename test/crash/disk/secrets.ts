/**
 * Searches for secrets: keys, sessions and passwords must not be in anything that a server writes, sends or keeps; and the
 * file names that may be on disk.
 */
import fs from 'node:fs';
import path from 'node:path';

/** The paths of the files of a data directory; no part of a path is chosen by a client. */
const FILES = new RegExp(
  `^(?:${[
    'manifest(?:\\.new)?',
    'keys\\.json',
    'quarry\\.pid',
    'admin\\.sock',
    'tls/(?:cert|key)\\.pem',
    'log/log-[0-9a-f]{16}\\.qlog',
    'log/log-spare-\\d+\\.tmp',
    'snapshot/once/once-l\\d+[\\w.-]*\\.qonce',
    'snapshot/d\\d+-\\d+/[a-z0-9-]+\\.arrow',
    'spool/[\\w.-]+',
  ].join('|')})$`,
);

function filesBelow(dir: string): string[] {
  return fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [] : [path.join(entry.parentPath, entry.name)]));
}

/** Files in the data directory whose names do not belong to a store. */
export function strangeFiles(dir: string): string[] {
  return filesBelow(dir)
    .map((file) => path.relative(dir, file))
    .filter((file) => !FILES.test(file));
}

/** The text as it is and in JSON, base64 and hexadecimal form. */
function formsOf(secret: string): Buffer[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64').slice(0, -4),
    bytes.toString('hex'),
  ].map((text) => Buffer.from(text));
}

export type Secrets = ReadonlyMap<string, string>;

/** The secrets found in `texts`: their kind, and the text that contains each. */
export function secretsIn(secrets: Secrets, texts: ReadonlyMap<string, string | Uint8Array>): string[] {
  const found: string[] = [];
  for (const [where, text] of texts) {
    const bytes = Buffer.from(text);
    for (const [what, secret] of secrets) {
      if (formsOf(secret).some((form) => bytes.includes(form))) found.push(`${what} in ${where}`);
    }
  }
  return found;
}

/** Log files end with preallocated space. */
function withoutZeros(bytes: Buffer): Uint8Array {
  const end = bytes.findLastIndex((byte) => byte !== 0);
  return bytes.subarray(0, end + 1);
}

/** The contents of all files of a data directory except keys.json, which contains keys by design. */
export function contentsOf(dir: string): Map<string, Uint8Array> {
  const regular = filesBelow(dir).filter((file) => fs.lstatSync(file).isFile());
  return new Map(
    regular
      .filter((file) => path.basename(file) !== 'keys.json' && !file.includes('log-spare'))
      .map((file) => [path.relative(dir, file), withoutZeros(fs.readFileSync(file))]),
  );
}

/** Names that are invalid or misleading as file names; each is sent where a client may choose a name. */
export const TRICK_NAMES: readonly string[] = [
  ...[
    '../x',
    '../../../../tmp/quarry-was-here',
    '/tmp/quarry-was-here',
    '..',
    '.',
    '...',
    './x',
    'a/b',
    'a\\b',
    '..\\x',
  ],
  ...[
    'a\u0000b',
    '\u0000',
    'x\r\nX-Injected: 1',
    'CON',
    'nul.txt',
    'COM1',
    'aux',
    'x:stream',
    '.hidden',
    '-rf',
    '~',
    '$HOME',
  ],
  ...[
    '`id`',
    '$(id)',
    '%2e%2e%2f',
    '%00',
    'e\u0301',
    '\u00e9',
    'file\u202egnp',
    '\ufeffx',
    'x ',
    ' x',
    'x.',
    'manifest',
  ],
  ...[
    'log',
    'keys.json',
    'snapshot',
    'x'.repeat(64),
    'x'.repeat(300),
    'é'.repeat(5_000),
    '\ud800',
    '\u{1f600}',
  ],
];
