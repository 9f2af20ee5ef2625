/** Formats the mapping as lines, shown before the first row is sent. */
import { inColumns } from '../../columns.js';
import { printable } from '../../printable.js';
import type { RowSource } from '../formats/row-block.js';
import type { Mapping, Target } from './mapping.js';

const HEAD = ['column of the file', 'column', 'type', 'storage', 'cardinality', 'made', 'examples'];

function typeText({ form, made, guess }: Target): string {
  const places = made?.['decimal-places'];
  const type = places === undefined ? form.type : `${form.type}(${places})`;
  const isRounded = form.roundedTo !== null && guess.isFloating;
  return isRounded ? `${type}, rounded to ${form.roundedTo}` : type;
}

/** `rowName` is the prefix of IDs made of row numbers. */
export function mappingLines(mapping: Mapping, { columns }: RowSource, rowName: string): string[] {
  const nameOf = (index: number): string => printable(columns[index].name);
  const rows = mapping.targets.map((target) => [
    target.date === null ? nameOf(target.source) : `${nameOf(target.source)} at ${nameOf(target.date)}`,
    target.column,
    typeText(target),
    target.form.storage ?? '',
    target.made?.cardinality ?? '',
    target.made === null ? 'exists' : 'new',
    printable(target.guess.examples.join(', ')) || 'no value yet',
  ]);
  const { id, dimension, isNewDimension, leftOut, remarks } = mapping;
  const idText =
    id === null
      ? `the row's number: ${printable(rowName)}:1, ${printable(rowName)}:2, ...`
      : id.map(nameOf).join(' - ');
  return [
    `into dimension ${dimension}${isNewDimension ? ' (new)' : ''}, entity IDs from ${idText}`,
    ...inColumns([HEAD, ...rows]).map((line) => `  ${line}`),
    ...leftOut.map(({ name, why }) => `  omitted: ${printable(name)}, which holds ${why}`),
    ...remarks.map((remark) => `  note: ${printable(remark)}`),
  ];
}
