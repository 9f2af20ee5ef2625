/** Width of texts in terminal columns; cuts and pads texts to a width. */

const PLAIN = /^[\x20-\x7e]*$/;
/** Combining marks, which have no width. */
const MARKS = /^[\p{Mn}\p{Me}]+$/u;
/** Unicode's East Asian wide and full-width blocks, and characters with emoji presentation. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Width of a text without control characters. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += widthOfCluster(segment);
  return width;
}

const widthOfCluster = (cluster: string): number => (MARKS.test(cluster) ? 0 : WIDE.test(cluster) ? 2 : 1);

const CUT = '…';

/** Cuts the text to at most `width` columns (at least 1) and marks the cut. */
export function cutTo(text: string, width: number): string {
  if (text.length <= width && PLAIN.test(text)) return text;
  if (widthOf(text) <= width) return text;
  let shown = '';
  let taken = 1;
  for (const { segment } of segmenter.segment(text)) {
    taken += widthOfCluster(segment);
    if (taken > width) break;
    shown += segment;
  }
  return shown + CUT;
}

/** Pads the text with spaces on the given side. */
export function padTo(text: string, width: number, side: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? blanks + text : text + blanks;
}
