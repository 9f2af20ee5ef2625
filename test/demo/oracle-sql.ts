/** Fragments of SQL over the views `airports` and `quakes` and the table `flights`. */

/** The codes of the origins with at least `least` flights for which `where` holds. */
export const origins = (where: string, least = 1): string =>
  `(SELECT origin FROM flights WHERE ${where} GROUP BY origin HAVING count(*) >= ${least})`;

export const countOrigins = (where: string, least = 1): string =>
  `SELECT count(*) FROM ${origins(where, least)}`;
export const within = (from: string, to: string): string =>
  `moment BETWEEN TIMESTAMP '${from}' AND TIMESTAMP '${to}'`;

export const HALF_YEAR = within('2001-01-01 00:00:00', '2001-07-01 00:00:00');
export const FIRST_WEEK = within('2001-01-01 00:00:00', '2001-01-08 00:00:00');
export const QUAKE_WEEK = within('2018-01-31 00:00:00', '2018-02-08 00:00:00');
export const MARCH = within('2001-03-01 00:00:00', '2001-03-31 23:59:59');

/** Great-circle kilometres from a point to that of a row, on the sphere that the interface defines. */
export const kilometresFrom = (longitude: number, latitude: number): string =>
  `2 * 6371.0088 * asin(sqrt(pow(sin(radians(latitude - ${latitude}) / 2), 2) + cos(radians(latitude)) *
    cos(radians(${latitude})) * pow(sin(radians(longitude - ${longitude}) / 2), 2)))`;
