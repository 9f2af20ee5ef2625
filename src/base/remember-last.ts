/**
 * Returns a function that remembers its last argument and result, for arguments that are usually the same for many rows, such as
 * formats.
 */
export function rememberLast<T>(compute: (text: string) => T): (text: string) => T {
  let last: { readonly text: string; readonly result: T } | null = null;
  return (text) => {
    if (last === null || last.text !== text) last = { text, result: compute(text) };
    return last.result;
  };
}
