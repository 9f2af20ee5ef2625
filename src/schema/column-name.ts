/**
 * The api-name of a column for a name of any form: in lower case, without accents, with a dash for each run of other characters and
 * none at the ends. "Größe (m)" becomes "gro-e-m". Empty if the name has no letter and no digit.
 */
export const columnNameOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
