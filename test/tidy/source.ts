/** The sources of the repository, read and parsed, for the tests in this folder. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** Tests run from dist/test/tidy. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const NOT_OURS = new Set(['node_modules', 'dist', '.git', '.tap', 'results']);

/** Every file of the repository below `dir`, relative to the root, with `/`, sorted; data/store belongs to a server. */
export function filesUnder(dir: string): string[] {
  const found: string[] = [];
  const walk = (at: string): void => {
    for (const entry of fs.readdirSync(path.join(ROOT, at), { withFileTypes: true })) {
      const name = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!NOT_OURS.has(entry.name) && name !== 'data/store') walk(name);
      } else if (entry.isFile()) found.push(name);
    }
  };
  walk(dir);
  return found.sort();
}

/** Names of the folders directly below `dir` that contain files of the repository. */
export function directoriesUnder(dir: string): string[] {
  const names = filesUnder(dir).map((file) => file.slice(dir.length + 1).split('/'));
  return [...new Set(names.filter((parts) => parts.length > 1).map(([name]) => name))];
}

export const read = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');
export const exists = (file: string): boolean => fs.existsSync(path.join(ROOT, file));

export interface Import {
  /** As written: '../base/index.js', 'piscina', 'node:fs'. */
  readonly specifier: string;
  /** The source that a relative specifier names, relative to the root; null for packages. */
  readonly target: string | null;
  /** Whether the compiler erases the import. */
  readonly typeOnly: boolean;
  readonly line: number;
}

export interface Source {
  readonly file: string;
  readonly tree: ts.SourceFile;
  readonly imports: readonly Import[];
}

export function parse(file: string, text: string): Source {
  const kind = file.endsWith('.tsx')
    ? ts.ScriptKind.TSX
    : file.endsWith('.ts')
      ? ts.ScriptKind.TS
      : ts.ScriptKind.JS;
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true, kind);
  return { file, tree, imports: importsOf(file, tree) };
}

/** TypeScript and modules below src, without the AssemblyScript of the kernels, which is another language. */
export function sources(): Source[] {
  return filesUnder('src')
    .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !file.startsWith('src/kernels/wasm/'))
    .map((file) => parse(file, read(file)));
}

export const lineOf = (tree: ts.SourceFile, node: ts.Node): number =>
  tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;

function targetOf(file: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  const target = path.posix.join(path.posix.dirname(file), specifier).replace(/^dist\//, '');
  const component = target.replace(/\.js$/, '.tsx');
  return component !== target && exists(component) ? component : target.replace(/\.js$/, '.ts');
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.isTypeOnly) return true;
  const names = clause.namedBindings;
  if (clause.name !== undefined || names === undefined || !ts.isNamedImports(names)) return false;
  return names.elements.length > 0 && names.elements.every((element) => element.isTypeOnly);
}

function importsOf(file: string, tree: ts.SourceFile): Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node, specifier: ts.Node | undefined, typeOnly: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const { text } = specifier;
    found.push({ specifier: text, target: targetOf(file, text), typeOnly, line: lineOf(tree, node) });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node, node.moduleSpecifier, isTypeOnly(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node, node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node, node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node, node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}
