/**
 * Words that identifiers no longer use, because this project has another term for the same thing (ARCHITECTURE.md,
 * "Glossary"), and the function that finds them.
 */
import ts from 'typescript';
import { lineOf } from './source.js';

/** Each abandoned word and its replacement. Words are compared in lower case: `toldBy` has the words told and by. */
export const GIVEN_UP: ReadonlyMap<string, string> = new Map([
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
]);

/** Folders in which a word has another, accepted meaning. */
const EXCEPTIONS: readonly { readonly folder: string; readonly words: readonly string[] }[] = [
  // SIMD lanes.
  { folder: 'src/kernels/', words: ['lane', 'lanes'] },
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

/** Declared names in `tree` that contain an abandoned word, with their position and the term to use. */
export function wordBreaches(file: string, tree: ts.SourceFile): string[] {
  const allowed = EXCEPTIONS.filter(({ folder }) => file.startsWith(folder)).flatMap(({ words }) => words);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) && isDeclaredName(node)) {
      const joined = wordsOf(node.text);
      const pairs = joined.slice(1).map((word, index) => joined[index] + word);
      for (const word of [...joined, ...pairs]) {
        if (GIVEN_UP.has(word) && !allowed.includes(word)) {
          found.push(`${file}:${lineOf(tree, node)} ${node.text}: use ${GIVEN_UP.get(word)}`);
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
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
