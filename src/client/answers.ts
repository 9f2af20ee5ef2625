/** The types of the server's answers, from the interface's schemas. Integers beyond 2^53 are bigints. */
import type { answers } from '../interface/index.js';

export type {
  ActivesAnswer,
  CompareAnswer,
  FlowAnswer,
  FunnelAnswer,
  LifecycleAnswer,
  OverlapAnswer,
  RetentionAnswer,
  SequenceAnswer,
  SessionsAnswer,
  StickinessAnswer,
  TimelineAnswer,
} from '../interface/index.js';

export type Cell = answers.Cell;
export type ColumnEntry = answers.ColumnEntry;
export type ColumnGroups = answers.ColumnGroups;
export type Database = answers.Database;
export type DatabaseKeys = answers.DatabaseKeys;
export type DescribedSegment = answers.DescribedSegment;
export type DimensionStatus = answers.DimensionStatus;
export type EventBucket = answers.EventBucket;
export type EventCell = answers.EventCell;
export type Inserted = answers.Inserted;
export type Inserts = answers.Inserts;
export type LevelAnswer = answers.LevelAnswer;
export type LevelRow = answers.LevelRow;
export type ListedCustomKey = answers.ListedCustomKey;
export type ListedPermissionGroup = answers.ListedPermissionGroup;
export type ListedUser = answers.ListedUser;
export type MetricValue = answers.MetricValue;
export type Page = answers.Page;
export type Relations = answers.Relations;
export type Row = answers.Row;
export type RunningQueries = answers.RunningQueries;
export type RunningQuery = answers.RunningQuery;
export type SavedQuery = answers.SavedQuery;
export type Segment = answers.Segment;
export type Session = answers.Session;
export type SlowQueries = answers.SlowQueries;
export type SlowQuery = answers.SlowQuery;
export type SqlResult = answers.SqlResult;
export type SqlRow = answers.SqlRow;
export type SqlValue = answers.SqlValue;
export type SqlWritten = answers.SqlWritten;
export type ValueCount = answers.ValueCount;
