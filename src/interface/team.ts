/** Databases, custom keys, users and permission groups. In all of them null counts as absent. */
import { NAME_CHARS_MAX } from '../base/limits.js';
import { CLOUD_AREAS } from './cloud.js';
import { predicates } from './conditions.js';
import {
  anyText,
  type Body,
  type BodyCodes,
  body,
  choice,
  type Fields,
  type Form,
  type Infer,
  integer,
  list,
  map,
  named,
  optional,
  orNull,
  plain,
  text,
  unread,
} from './schema.js';
import {
  CUSTOM_KEY_LEVELS,
  DATABASE_TYPES,
  LOAD_PLANS,
  PERMISSION_NUMBER_MAX,
  PRICING_MODELS,
  TEXT_CASES,
  WEEK_DAYS,
} from './words.js';

export const TEAM_TEXT_CHARS_MAX = 1_024;
export const TEAM_LIST_ITEMS_MAX = 1_000;
export const ADDRESSES_MAX = 100;
/** Maximum number of dimensions of a whitelist or filter, and of columns of one dimension. */
export const NAMED_MAX = 10_000;
export const EMAIL_CHARS_MAX = 254;
export const PASSWORD_CHARS_MIN = 8;
export const PERSON_NAME_CHARS_MAX = 256;

/** The same code for every error of an object and its fields. */
const always = (code: 7000 | 7050 | 8000): BodyCodes => ({ wrong: code, missing: code, type: code });
const DATABASE = always(8000);
const GROUP = always(7000);
const USER = always(7050);

/** Refuses control characters, line breaks, and marks that change the direction of text. */
const PRINTABLE: readonly Form[] = [
  { pattern: /\S/, message: 'is empty' },
  {
    pattern: /^[^\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/u,
    message: 'has characters that cannot be printed',
  },
];

const line = (description: string) => text(description, { maxLength: TEAM_TEXT_CHARS_MAX });
const lines = (description: string) =>
  orNull(list(line('An entry.'), description, { maxItems: TEAM_LIST_ITEMS_MAX, distinct: true }));
const newName = (description: string) =>
  text(description, { forms: PRINTABLE, minLength: 1, maxLength: NAME_CHARS_MAX });
const addresses = orNull(
  list(
    line('An address, a network such as `10.0.0.0/8`, or a host name.'),
    'Addresses that may send requests, at most 100 distinct ones; `[]` = any address.',
    { maxItems: TEAM_LIST_ITEMS_MAX, distinct: true },
  ),
);

const databaseName = text('Printable ASCII without quotes and underscores.', {
  forms: [
    { pattern: /^[ !#-&(-^`-~]+$/, message: 'has invalid characters or none' },
    { pattern: /[^ ]/, message: 'has invalid characters or none' },
  ],
  maxLength: NAME_CHARS_MAX,
});
const cloudFields = {
  cloud_provider: orNull(
    choice([...CLOUD_AREAS.keys()], 'Stored as a property without further effect; default `ovh`.'),
  ),
  cloud_area: orNull(
    text('An area of the provider; default: its first area.', {
      enum: [...new Set([...CLOUD_AREAS.values()].flat())],
    }),
  ),
};
const databaseType = choice(DATABASE_TYPES, 'Cannot be changed later.');
const queryLoad = choice(LOAD_PLANS, 'Plan that limits queries per minute.');
const insertionLoad = choice(LOAD_PLANS, 'Plan that limits writes per day.');
/** The pricing model of a production database; ignored for a test database. */
export const pricingModel = choice(PRICING_MODELS, 'Pricing model.');
const ifPriced = optional(
  unread(
    plain<(typeof PRICING_MODELS)[number] | null>({
      description: `For a production database, one of ${PRICING_MODELS.join(', ')}; ignored for a test database.`,
      examples: PRICING_MODELS,
    }),
  ),
);
const description = orNull(line('Free text.'));
const labels = lines('Labels.');
const anyName = line('Name of the database.');

const newDatabaseFields = body(
  DATABASE,
  {
    name: databaseName,
    description,
    type: databaseType,
    'pricing-model': ifPriced,
    labels,
    'query-load': queryLoad,
    'insertion-load': insertionLoad,
    case: orNull(
      choice(
        TEXT_CASES,
        'Case of the texts and entity IDs of new columns and dimensions; default fold. Cannot be changed later.',
      ),
    ),
    ...cloudFields,
  },
  {
    if: { properties: { type: { const: 'production' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { 'pricing-model': { enum: PRICING_MODELS } }, required: ['pricing-model'] },
  },
);
/** A production database has a pricing model. */
export type NewDatabase = Omit<Infer<typeof newDatabaseFields>, 'type' | 'pricing-model'> &
  (
    | { readonly type: 'test'; readonly 'pricing-model'?: (typeof PRICING_MODELS)[number] | null }
    | { readonly type: 'production'; readonly 'pricing-model': (typeof PRICING_MODELS)[number] }
  );
export const newDatabase = named(
  'NewDatabase',
  body(DATABASE, { database: newDatabaseFields, 'addresses-whitelist': addresses }),
);

const changedDatabaseFields = body(DATABASE, {
  name: anyName,
  description,
  type: orNull(databaseType),
  'pricing-model': ifPriced,
  labels,
  'query-load': orNull(queryLoad),
  'insertion-load': orNull(insertionLoad),
  ...cloudFields,
  'new-database-name': orNull(databaseName),
});
export type ChangedDatabase = Infer<typeof changedDatabaseFields>;
export const changedDatabase = named(
  'ChangedDatabase',
  body(DATABASE, { database: changedDatabaseFields, 'addresses-whitelist': addresses }),
);

export const deletedDatabase = named(
  'DeletedDatabase',
  body(DATABASE, { database: body(DATABASE, { name: anyName }) }),
);

const restrictions = {
  description,
  'columns-whitelist': unread(
    orNull(
      map(
        list(anyText, 'Api-names of columns.', { maxItems: NAMED_MAX }),
        'The columns that the key may use, by dimension; `{}` = all.',
        { maxProperties: NAMED_MAX },
      ),
    ),
  ),
  filter: unread(
    orNull(
      map(
        map(predicates, 'By column.', { minProperties: 1 }),
        'Conditions on the rows that the key may see, by dimension; `{}` = all rows.',
        { maxProperties: NAMED_MAX },
      ),
    ),
  ),
  'addresses-whitelist': addresses,
};
const keyLevel = choice(CUSTOM_KEY_LEVELS, 'The permission level of the key.');
const keyName = line('Name of the key.');
const ofDatabase = <F extends Fields>(key: Body<F>) =>
  body(DATABASE, { 'database-name': anyName, 'custom-database-key': key });

export const newKeyFields = body(DATABASE, {
  'key-name': newName('Unique within the database.'),
  'key-type': keyLevel,
  ...restrictions,
});
export type NewCustomKey = Infer<typeof newKeyFields>;
export const newCustomKey = named('NewCustomKey', ofDatabase(newKeyFields));

export const changedKeyFields = body(DATABASE, {
  'key-name': keyName,
  'key-type': orNull(keyLevel),
  ...restrictions,
  'new-key-name': orNull(newName('The new name.')),
});
export type ChangedCustomKey = Infer<typeof changedKeyFields>;
export const changedCustomKey = named('ChangedCustomKey', ofDatabase(changedKeyFields));

export const deletedCustomKey = named(
  'DeletedCustomKey',
  ofDatabase(body(DATABASE, { 'key-name': keyName })),
);

const hour = (description: string) =>
  orNull(
    text(description, {
      forms: [{ pattern: /^([01]\d|2[0-3]):[0-5]\d$/, message: 'must be HH:MM, 00:00 to 23:59' }],
    }),
  );
export const accessHours = named(
  'AccessHours',
  body(
    GROUP,
    { from: hour('HH:MM, inside.'), to: hour('HH:MM, outside.') },
    {
      dependentRequired: { from: ['to'], to: ['from'] },
      description:
        'Times in UTC. If `from` is later than `to`, the hours span midnight; `{}` = the whole day.',
    },
  ),
);

const groupProperties = {
  description,
  'allowed-permissions': orNull(
    list(integer('Number of a permission.', 1, PERMISSION_NUMBER_MAX), 'The permissions of its users.', {
      maxItems: TEAM_LIST_ITEMS_MAX,
      distinct: true,
    }),
  ),
  'allowed-databases': lines('Names of the databases that its users may use.'),
  labels,
  'week-days': orNull(
    list(choice(WEEK_DAYS, 'Of UTC.'), 'Days on which its users may send requests; `[]` = every day.', {
      maxItems: TEAM_LIST_ITEMS_MAX,
    }),
  ),
  'access-hours': orNull(accessHours),
};
const groupName = line('Name of the group.');

export const newGroup = named(
  'NewGroup',
  body(GROUP, { 'group-name': newName('Unique.'), ...groupProperties }),
);
export type PermissionGroup = Infer<typeof newGroup>;

export const changedGroup = named(
  'ChangedGroup',
  body(GROUP, {
    'group-name': groupName,
    ...groupProperties,
    'new-group-name': orNull(newName('The new name.')),
  }),
);
export type ChangedPermissionGroup = Infer<typeof changedGroup>;

export const deletedGroup = named('DeletedGroup', body(GROUP, { 'group-name': groupName }));

const email = text('Identifies the user; case is ignored.', {
  minLength: 1,
  maxLength: EMAIL_CHARS_MAX,
  forms: [{ pattern: /^[^\s@"<>\p{Cc}]{1,64}@[^\s@"'<>\p{Cc}]+$/u, message: 'is not an email address' }],
});
const personName = (description: string) => orNull(text(description, { maxLength: PERSON_NAME_CHARS_MAX }));
const userFields = {
  email,
  labels,
  'first-name': personName('First name.'),
  'last-name': personName('Last name.'),
  'permission-group': orNull(line('Name of the group; empty = none.')),
};

export const newUser = named(
  'NewUser',
  body(USER, {
    ...userFields,
    password: text('Stored as a hash.', { minLength: PASSWORD_CHARS_MIN, maxLength: TEAM_TEXT_CHARS_MAX }),
  }),
);
export type NewUser = Infer<typeof newUser>;
export const changedUser = named('ChangedUser', body(USER, userFields));
export type User = Infer<typeof changedUser>;
export const deletedUser = named('DeletedUser', body(USER, { email }));

export const signIn = named(
  'SignIn',
  body(USER, {
    email: line('Email address of the user.'),
    password: line('Password of the user.'),
    'database-name': orNull(
      line('The database that the session may use; if absent, the session is for the endpoints of the team.'),
    ),
  }),
);
export type SignIn = Infer<typeof signIn>;
