/** The permissions that a group can grant to its users, by number. */

export const PERMISSIONS = {
  1: 'query: counts, totals, exists, aggregations, top values, extraction',
  2: 'insert',
  3: 'update',
  4: 'delete entities',
  5: 'SQL',
  6: 'list dimensions, columns and relations',
  7: 'create and change dimensions, columns and relations',
  8: 'delete dimensions, columns and relations',
  9: 'read saved queries',
  10: 'create and change saved queries',
  11: 'delete saved queries',
  12: 'read the metadata of databases',
  13: 'create and change databases',
  14: 'delete databases',
  15: 'list custom keys',
  16: 'create and change custom keys',
  17: 'delete custom keys',
  18: 'list, create, change and delete users',
  19: 'list, create, change and delete permission groups',
} as const satisfies Readonly<Record<number, string>>;

export type Permission = keyof typeof PERMISSIONS;

export function isPermission(number: number): number is Permission {
  return Object.hasOwn(PERMISSIONS, number);
}
