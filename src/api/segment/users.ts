/** Where a segment is used: other segments, saved queries, filters of keys. */
import { quoted } from '../../base/index.js';
import { type Catalog, type CustomKey, customKeysOf, savedQueriesOf } from '../../catalog/index.js';
import type { DatabaseModel, Segment } from '../../schema/index.js';
import { isList, isObject, type Json, parseJson } from '../body/json.js';
import { segmentNameIn } from '../condition/segment-condition.js';

/** The users of the segment in words, each produced when it is asked for. */
export function* usersOfSegment(name: string, catalog: Catalog, model: DatabaseModel): Generator<string> {
  for (const segment of segmentsOf(model)) {
    if (uses(segment, name)) yield `segment ${quoted(segment.name)}`;
  }
  for (const saved of savedQueriesOf(catalog, model.id).values()) {
    const isUser =
      saved.type === 'sql' ? namesInSql(saved.query, name) : namesIn(parsed(saved.query)).has(name);
    if (isUser) yield `saved query ${quoted(saved.name)}`;
  }
  for (const key of customKeysOf(catalog, model.id).values()) {
    if (filterNames(key).has(name)) yield `the filter of key ${quoted(key.name)}`;
  }
}

/** Whether the filter of a key uses the segment, or a segment that it is part of. */
export function isUsedByFilters(name: string, catalog: Catalog, model: DatabaseModel): boolean {
  const filtered = new Set(
    [...customKeysOf(catalog, model.id).values()].flatMap((key) => [...filterNames(key)]),
  );
  if (filtered.size === 0) return false;
  const seen = new Set<string>();
  const visit = (one: string): boolean => {
    if (filtered.has(one)) return true;
    if (seen.has(one)) return false;
    seen.add(one);
    return segmentsOf(model).some((other) => uses(other, one) && visit(other.name));
  };
  return visit(name);
}

/** The names of the segments that use the segment, directly or through others. */
export function segmentsUsing(name: string, segments: Iterable<Segment>): ReadonlySet<string> {
  const users = new Map<string, string[]>();
  for (const { name: user, query } of segments) {
    if (query === null) continue;
    for (const used of namesIn(parsed(query))) users.set(used, [...(users.get(used) ?? []), user]);
  }
  const found = new Set<string>();
  const open = [name];
  for (let used = open.pop(); used !== undefined; used = open.pop()) {
    for (const user of users.get(used) ?? []) {
      if (found.has(user)) continue;
      found.add(user);
      open.push(user);
    }
  }
  return found;
}

const segmentsOf = ({ dimensions }: DatabaseModel): readonly Segment[] =>
  [...dimensions.values()].flatMap(({ segments }) => [...segments.values()]);

const uses = ({ query }: Segment, name: string): boolean =>
  query !== null && namesIn(parsed(query)).has(name);

const parsed = (text: string): Json => parseJson(new TextEncoder().encode(text));

const filterNames = ({ filter }: CustomKey): ReadonlySet<string> =>
  new Set(filter.flatMap(({ conditions }) => [...namesIn(parsed(conditions), true)]));

/** The names of segments in conditions anywhere in the JSON. `isFilter`: the object has several conditions. */
function namesIn(json: Json, isFilter = false): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (one: Json): void => {
    if (isList(one)) one.forEach(visit);
    else if (isObject(one)) {
      const name = segmentNameIn(one);
      if (name !== null) names.add(name);
      for (const value of one.values()) visit(value);
    }
  };
  visit(json);
  const filtered = isFilter && isObject(json) ? json.get('segment') : undefined;
  if (typeof filtered === 'string') names.add(filtered);
  return names;
}

/**
 * Whether the text of a saved SELECT, which is JSON, may use the segment: it has the word, and the name in quotes anywhere, which
 * comments and escapes of JSON do not hide.
 */
function namesInSql(text: string, name: string): boolean {
  const json = parsed(text);
  const sql = isObject(json) ? json.get('sql') : json;
  if (typeof sql !== 'string') return false;
  const plain = sql.replace(/\\u([0-9a-f]{4})/giu, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return /segment/iu.test(plain) && new RegExp(`["']${name}["']`, 'iu').test(plain);
}
