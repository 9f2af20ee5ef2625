/**
 * Returns a function that remembers its last argument and result, for arguments that are usually the same for many rows, such as
 * formats.
 */
export function rememberLast<T, A = string>(compute: (argument: A) => T): (argument: A) => T {
  let last: { readonly argument: A; readonly result: T } | null = null;
  return (argument) => {
    if (last === null || last.argument !== argument) last = { argument, result: compute(argument) };
    return last.result;
  };
}
