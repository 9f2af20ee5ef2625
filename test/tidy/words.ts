/**
 * Words that identifiers and file names no longer use, because this project has another term for the same thing
 * (ARCHITECTURE.md, "Glossary"), and the functions that find them.
 */
import ts from 'typescript';
import { lineOf } from './source.js';

/** Each abandoned word and its replacement. Words are compared in lower case: `toldBy` has the words told and by. */
export const ABANDONED: ReadonlyMap<string, string> = new Map([
  ['lane', 'worker'],
  ['lanes', 'workers'],
  ['asked', 'query, requested'],
  ['asker', 'caller, client'],
  ['askers', 'callers, clients'],
  ['asking', 'query, request'],
  ['told', 'listener, notified'],
  ['door', 'entry point, authorize'],
  ['doors', 'entry points'],
  ['seat', 'concurrency slot'],
  ['seats', 'concurrency slots'],
  ['patience', 'retry policy'],
  ['needs', 'dependencies'],
  ['figures', 'stats'],
  ['hangup', 'cancellation'],
  ['ask', 'request, query, send'],
  ['asks', 'requests, kind'],
  ['place', 'position, slot, index, location'],
  ['held', 'stored, reserved, current'],
  ['kept', 'retained, remaining, selected'],
  ['once', 'idempotency, deduplication'],
  ['room', 'capacity, allocator'],
  ['given', 'the noun of the value'],
  ['cell', 'value, group key, group slot, tableCell'],
  ['cells', 'values, group keys, group slots, tableCells'],
]);

/** Folders and files in which a word has another, accepted meaning, or is part of a fixed interface or stored format. */
const EXCEPTIONS: readonly { readonly folder: string; readonly words: readonly string[] }[] = [
  // SIMD lanes.
  { folder: 'src/kernels/', words: ['lane', 'lanes'] },
  // A method of the published client.
  { folder: 'src/client/quarry.ts', words: ['ask'] },
  // An option of addEventListener.
  { folder: 'src/client/transport/retry.ts', words: ['once'] },
  // The field of log records and of the manifest.
  ...[
    'src/engine/lifecycle/checkpoint.ts',
    'src/engine/write/',
    'src/format/',
    'src/inspect/',
    'src/recovery/',
    'src/worker/parse-record.ts',
    'test/format/',
    'test/inspect/',
    'test/recovery/',
    'test/worker/parse-record.test.ts',
  ].map((folder) => ({ folder, words: ['once'] })),
  // Columns of data sets.
  ...[
    'src/commands/demo/',
    'test/commands/export/export-command.test.ts',
    'test/conformance/',
    'test/demo/',
  ].map((folder) => ({ folder, words: ['place'] })),
  // Cells of tables: of the console, of the SQL prompt, of Markdown and of benchmarks.
  ...['src/console/', 'src/commands/sql/', 'test/tidy/tables.ts', 'native-bench/'].map((folder) => ({
    folder,
    words: ['cell', 'cells'],
  })),
  // A field of PostHog's events.
  { folder: 'test/http/inlets/posthog.test.ts', words: ['once'] },
  // Schemas of the interface.
  { folder: 'src/interface/answers.ts', words: ['cell'] },
  { folder: 'src/client/answers.ts', words: ['cell'] },
  // Not renamed yet.
  { folder: 'src/engine/query/', words: ['place', 'given'] },
  { folder: 'src/ir/stage.ts', words: ['place'] },
];

/** The words of an identifier, in lower case: `#readLineOf` has the words read, line and of. */
export function wordsOf(identifier: string): string[] {
  return identifier
    .replace(/^#/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split('_')
    .filter((word) => word !== '');
}

/** Abandoned words in the names of a file and its folders, with the term to use. */
export function fileNameBreaches(file: string): string[] {
  return file
    .replace(/\.[a-z.]+$/, '')
    .split('/')
    .flatMap((name) => abandonedIn(name.replaceAll(/[-.]/g, '_'), allowedIn(file)))
    .map((word) => `${file}: use ${ABANDONED.get(word)}`);
}

/** Declared names in `tree` that contain an abandoned word, with their position and the term to use. */
export function wordBreaches(file: string, tree: ts.SourceFile): string[] {
  const allowed = allowedIn(file);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) && isDeclaredName(node)) {
      for (const word of abandonedIn(node.text, allowed)) {
        found.push(`${file}:${lineOf(tree, node)} ${node.text}: use ${ABANDONED.get(word)}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function allowedIn(file: string): string[] {
  return EXCEPTIONS.filter(({ folder }) => file.startsWith(folder)).flatMap(({ words }) => words);
}

/** The abandoned words of an identifier, including those that consist of two of its words: `onHangUp` has hangup. */
function abandonedIn(identifier: string, allowed: readonly string[]): string[] {
  const words = wordsOf(identifier);
  const pairs = words.slice(1).map((word, index) => words[index] + word);
  return [...words, ...pairs].filter((word) => ABANDONED.has(word) && !allowed.includes(word));
}

function isDeclaredName(node: ts.Identifier | ts.PrivateIdentifier): boolean {
  const { parent } = node;
  return (
    (parent as { name?: ts.Node }).name === node &&
    !ts.isPropertyAccessExpression(parent) &&
    !ts.isImportSpecifier(parent) &&
    !ts.isExportSpecifier(parent)
  );
}
