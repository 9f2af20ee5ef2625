/** What requests are made of. Names of columns are the server's business; what may stand beside them is checked here. */

export type Integer = number | bigint;
/** A value that a predicate compares with: dates are texts. */
export type Operand = string | Integer | boolean;
/** A date (`2026-01-05`, `2026-01-05T09:30:00Z`) or `now`. */
export type Instant = string;
/** Two dates, of which the second may be relative to the first (`+1w`, `-30d`), or today. Both ends are inside. */
export type Between = readonly [from: Instant, to: Instant] | readonly ['today'];
/** [longitude, latitude] */
export type Point = readonly [longitude: number, latitude: number];

export interface GeoPoint {
  readonly longitude: number;
  readonly latitude: number;
}

export interface GeoRadius extends GeoPoint {
  readonly radius: number;
  readonly unit: 'km' | 'm' | 'mi' | 'deg';
  readonly between?: Between;
}

export interface GeoBoundingBox {
  readonly 'lower-left': GeoPoint;
  readonly 'upper-right': GeoPoint;
  readonly between?: Between;
}

export interface GeoNear extends GeoPoint {
  /** How many entities. */
  readonly limit: number;
  readonly show_coordinates?: boolean;
  readonly between?: Between;
}

/** What must hold for a column, all of it. */
export interface Predicates {
  readonly equals?: Operand;
  readonly 'not-equals'?: Operand;
  readonly in?: readonly Operand[];
  readonly 'not-in'?: readonly Operand[];
  /** Both ends are inside. */
  readonly range?: readonly [Operand, Operand];
  readonly gt?: Operand;
  readonly gte?: Operand;
  readonly lt?: Operand;
  readonly lte?: Operand;
  /** A part of the text, or any of several. */
  readonly contains?: string | readonly string[];
  readonly 'not-contains'?: string | readonly string[];
  readonly 'starts-with'?: string | readonly string[];
  readonly 'not-starts-with'?: string | readonly string[];
  readonly 'ends-with'?: string | readonly string[];
  readonly 'not-ends-with'?: string | readonly string[];
  readonly geo_radius?: GeoRadius;
  readonly geo_bounding_box?: GeoBoundingBox;
  /** In extractions only. */
  readonly geo_near?: GeoNear;
  /** The window of the events: wanted on event columns, refused on others. */
  readonly between?: Between;
  /** How many such events there must be at least. */
  readonly minfreq?: number;
}

/** One column and what must hold for it. */
export type ColumnCondition = Readonly<Record<string, Predicates>>;
/** Events of several columns that count together. */
export interface Frequency {
  readonly minfreq?: number;
  readonly freqgroup: readonly ColumnCondition[];
}
export type Condition = ColumnCondition | Frequency;
/** Conditions with operators between them; `not` may head a list, lists may stand in lists. */
export type Query = readonly (Condition | 'and' | 'or' | 'not' | Query)[];

export type Interval = 'seconds' | 'minutes' | 'hours' | 'days' | 'weeks' | 'months';

export interface InDimension {
  /** Api-name; `default` unless given. */
  readonly dimension?: string;
}

export interface Cached {
  /** Works it out again instead of remembering the answer. */
  readonly 'bypass-cache'?: boolean;
}

export interface CountQuery extends InDimension, Cached {
  /** What the answer calls it. */
  readonly 'query-name': string;
  readonly query: Query;
}

export interface CountEventQuery extends CountQuery {
  /** Counts by interval. */
  readonly interval?: Interval;
}

export type Metric =
  | 'min'
  | 'max'
  | 'avg'
  | 'sum'
  | 'count'
  | 'count-distinct'
  | 'count-events'
  | 'median'
  | 'p95'
  | 'p99'
  | 'stddev';

/** What chooses among a level's values: as in conditions, and lists of which any may match. */
export type LevelPredicates = {
  readonly [Name in Exclude<
    keyof Predicates,
    'geo_near' | 'between' | 'minfreq' | 'range' | 'in' | 'not-in'
  >]?: Predicates[Name] | readonly NonNullable<Predicates[Name]>[];
} & {
  readonly in?: Operand | readonly Operand[];
  readonly 'not-in'?: Operand | readonly Operand[];
  readonly range?: readonly [Operand, Operand] | readonly (readonly [Operand, Operand])[];
};

/** A column with how many of its most frequent values, or which metric; and predicates that choose among them. */
export type Level = LevelPredicates & {
  readonly between?: Between | readonly Between[];
  readonly interval?: Interval;
} & { readonly [column: string]: number | Metric | unknown };

export interface Aggregation extends InDimension, Cached {
  readonly filter?: Query;
  /** From the outermost in; a metric stands last. */
  readonly query: readonly Level[] | Level;
}

export type TopValuesQuery = LevelPredicates &
  InDimension &
  Cached & {
    readonly between?: Between;
    /** Leaves out values of fewer entities. */
    readonly minfreq?: number;
  } & { readonly [column: string]: number | unknown };

export interface Extraction extends InDimension, Cached {
  readonly query: Query;
  /** Columns by name, event columns with a window; or all attribute columns. */
  readonly columns: 'all' | readonly (string | Readonly<Record<string, Between>>)[];
  /** Rows of all pages together; 100 unless given. */
  readonly limit?: number;
  readonly order?: readonly Readonly<Record<string, 'asc' | 'desc'>>[];
  readonly 'page-token'?: string;
}

export type ItemValue = string | Integer | boolean | Point;
export interface NewEvent {
  readonly value: ItemValue;
  /** Now unless given. */
  readonly date?: string;
}
/** A value, a list of values, or events. */
export type Value = ItemValue | NewEvent | readonly (ItemValue | NewEvent)[];
/** Values by column, and in `dimension` where the entity lives. */
export type Entity = { readonly dimension?: string } & {
  readonly [column: string]: Value | null | undefined;
};

export interface Update extends InDimension {
  readonly query: Query;
  /** null takes a value away. */
  readonly set: Readonly<Record<string, Value | null>>;
}

export interface Delete extends InDimension {
  readonly query: Query;
}

export interface NewDimension {
  readonly name: string;
  readonly 'api-name': string;
  readonly 'relational-model-type'?: 'fact' | 'dimension';
}

export type ColumnType =
  | 'string'
  | 'integer'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'geolocation'
  | 'enumerated'
  | 'string-event'
  | 'integer-event'
  | 'decimal-event'
  | 'geolocation-event';

export interface NewColumn extends InDimension {
  readonly name: string;
  readonly type: ColumnType;
  /** Made from the name unless given. */
  readonly 'api-name'?: string;
  readonly description?: string;
  readonly storage?: 'latest-value' | 'list-of-values';
  readonly cardinality?: 'low' | 'high';
  readonly 'decimal-places'?: number;
  readonly range?: readonly Integer[];
  /** Of event columns, in days. */
  readonly 'retention-time'?: number | 'forever';
}

export interface ChangedColumn extends InDimension {
  readonly 'api-name': string;
  readonly name?: string;
  readonly description?: string;
  readonly active?: boolean;
}

export interface Relation extends InDimension {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The query that a type of saved queries takes. */
export interface SavedQueryKinds {
  readonly 'count/entity': Query;
  readonly 'count/event': Query;
  readonly 'count/entity/total': readonly string[];
  readonly aggregation:
    | { readonly filter?: Query; readonly query: readonly Level[] | Level }
    | readonly Level[];
  readonly top_values: Readonly<Record<string, TopValuesQuery>>;
}
export type SavedQueryType = keyof SavedQueryKinds;
export type SavedQueryDefinition = {
  [Type in SavedQueryType]: InDimension & {
    readonly type: Type;
    readonly query: SavedQueryKinds[Type];
    /** Seconds that an answer is remembered, at least 5. */
    readonly 'cache-period'?: number | null;
  };
}[SavedQueryType];

export type LoadPlan = 'normal' | 'high' | 'ultra' | 'mega';
export interface DatabaseProperties {
  readonly description?: string;
  readonly 'pricing-model'?: 'pay-per-column' | 'pay-per-gigabyte' | 'smart-pricing';
  readonly labels?: readonly string[];
  readonly 'query-load'?: LoadPlan;
  readonly 'insertion-load'?: LoadPlan;
  readonly cloud_provider?: string;
  readonly cloud_area?: string;
}
export type NewDatabase = DatabaseProperties & {
  readonly name: string;
  readonly 'query-load': LoadPlan;
  readonly 'insertion-load': LoadPlan;
} & (
    | { readonly type: 'test' }
    | {
        readonly type: 'production';
        readonly 'pricing-model': NonNullable<DatabaseProperties['pricing-model']>;
      }
  );
export type ChangedDatabase = DatabaseProperties & {
  readonly name: string;
  readonly 'new-database-name'?: string;
};

export type KeyLevel = 'read-only' | 'write-only' | 'write-read';
export interface CustomKeyFields {
  readonly description?: string;
  /** By dimension, the columns that the key may use; `{}` = all. */
  readonly 'columns-whitelist'?: Readonly<Record<string, readonly string[]>>;
  /** By dimension and column, conditions that all rows satisfy which the key sees; `{}` = all rows. */
  readonly filter?: Readonly<Record<string, Readonly<Record<string, Predicates>>>>;
  readonly 'addresses-whitelist'?: readonly string[];
}
export interface NewCustomKey extends CustomKeyFields {
  readonly 'key-name': string;
  readonly 'key-type': KeyLevel;
}
export interface ChangedCustomKey extends CustomKeyFields {
  readonly 'key-name': string;
  readonly 'new-key-name'?: string;
  readonly 'key-type'?: KeyLevel;
}

export interface User {
  readonly email: string;
  readonly labels?: readonly string[];
  readonly 'first-name'?: string;
  readonly 'last-name'?: string;
  /** Empty = none. */
  readonly 'permission-group'?: string;
}
export interface NewUser extends User {
  readonly password: string;
}

export type WeekDay = 'sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat';
export interface PermissionGroup {
  readonly 'group-name': string;
  readonly description?: string;
  readonly 'allowed-permissions'?: readonly number[];
  readonly 'allowed-databases'?: readonly string[];
  readonly labels?: readonly string[];
  readonly 'week-days'?: readonly WeekDay[];
  readonly 'access-hours'?: { readonly from: string; readonly to: string } | Readonly<Record<string, never>>;
}
export interface ChangedPermissionGroup extends PermissionGroup {
  readonly 'new-group-name'?: string;
}

export interface SignIn {
  readonly email: string;
  readonly password: string;
  /** For requests inside that database; without it for the team's. */
  readonly 'database-name'?: string;
}
