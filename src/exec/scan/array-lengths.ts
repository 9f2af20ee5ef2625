/** The least lengths of arrays that grow with the groups of a query and with its rows. */
export const GROUPS_MIN = 64;
export const ROWS_MIN = 64;
