/** Links to documents, chapters and other files have targets; every page is linked and states its purpose. */
import path from 'node:path';
import t from 'tap';
import { exists, filesUnder, read } from './source.js';

const documents = filesUnder('').filter((file) => file.endsWith('.md'));
const README_BYTES_MAX = 10 * 1024;

/** The text without code blocks and spans, which may contain brackets. */
const withoutCode = (text: string): string =>
  text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ' '));

/** The anchor of a heading: lower case, without punctuation, with dashes for spaces. */
function anchorOf(heading: string): string {
  const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
}

function anchorsOf(document: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of read(document)
    .replace(/^```[\s\S]*?^```$/gm, '')
    .matchAll(/^#+ (.+)$/gm)) {
    const anchor = anchorOf(heading);
    let unique = anchor;
    for (let at = 1; anchors.has(unique); at++) unique = `${anchor}-${at}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Links of a document, except those to the web, and their target files. */
function linksOf(document: string): { link: string; file: string; anchor: string | undefined }[] {
  const links = [...withoutCode(read(document)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link);
  return links
    .filter((link) => !/^https?:/.test(link))
    .map((link) => {
      const [target, anchor] = link.split('#');
      const file = target === '' ? document : path.posix.join(path.posix.dirname(document), target);
      return { link, file, anchor };
    });
}

t.test('anchors equal those of GitHub', async (t) => {
  t.equal(anchorOf('The single executable'), 'the-single-executable');
  t.equal(anchorOf('POST `/v1/sql`: text, data'), 'post-v1sql-text-data');
  t.equal(anchorOf('A [link](x.md) in it'), 'a-link-in-it');
});

t.test('every link names an existing file and chapter', async (t) => {
  let count = 0;
  for (const document of documents) {
    for (const { link, file, anchor } of linksOf(document)) {
      count++;
      const there = exists(file);
      if (!there) t.fail(`${document}: ${link}: no such file`);
      else if (anchor !== undefined && !anchorsOf(file).has(anchor))
        t.fail(`${document}: ${link}: no such chapter`);
    }
  }
  t.ok(count > 100, `${count} links`);
});

t.test(
  'docs/README.md links every page of docs, and each page begins with its purpose and its readers',
  async (t) => {
    const linked = new Set(linksOf('docs/README.md').map(({ file }) => file));
    for (const page of documents.filter((file) => file.startsWith('docs/') && file !== 'docs/README.md')) {
      t.ok(linked.has(page), `docs/README.md links ${page}`);
      const [, first = ''] = /^# .+\n\n([\s\S]*?)\n\n/.exec(read(page)) ?? [];
      const words = first.replace(/\s+/g, ' ');
      t.match(words, /^This page /, `${page} begins with its purpose`);
      t.match(words, /\b[Ii]t (?:is for|helps)|\bis for\b/, `${page} names its readers`);
    }
  },
);

t.test('the README is short', async (t) => {
  const bytes = Buffer.byteLength(read('README.md'));
  t.ok(bytes <= README_BYTES_MAX, `${bytes} bytes`);
});
