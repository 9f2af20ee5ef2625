/** Formats rows of short texts as aligned columns. */

/** Returns lines without line ends. The columns in `right` (0-based) are right-aligned; the last column is not padded. */
export function inColumns(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((text, at) => {
      widths[at] = Math.max(widths[at] ?? 0, text.length);
    });
  }
  return rows.map((row) =>
    row
      .map((text, at) => (right.includes(at) ? text.padStart(widths[at]) : text.padEnd(widths[at])))
      .join('  ')
      .trimEnd(),
  );
}
