/** Hands a file to the browser's downloads. */
export function download(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read the file when the next task runs.
  setTimeout(() => URL.revokeObjectURL(address));
}
