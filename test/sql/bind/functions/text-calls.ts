/** Calls of functions of texts, and the expressions to which they are bound or the messages of their refusals. */
import type { SqlNode } from '../../../../src/sql/tree.js';
import { call, column, nothing, number, string } from '../../../support/sql/sql-nodes.js';

/** By the first name of the function's entry. */
export type FunctionCalls = Readonly<Record<string, readonly (readonly [readonly SqlNode[], string])[]>>;

const [age, name, label] = ['age', 'name', 'Label'].map(column);
const two = number('2');

export const TEXT_EDIT_CALLS: FunctionCalls = {
  split_part: [
    [[name, string('A'), two], '(split-part #3:text "a":text 2:integer):text'],
    [[label, string('A'), two], '(split-part #9:text "A":text 2:integer):text'],
    [[name, string('A')], 'SPLIT_PART(text, text, integer) was given 2 arguments'],
  ],
  concat_ws: [
    [[string('-'), name, age], '(concat-separated "-":text #3:text (cast #0:integer):text):text'],
    [[string('-')], 'CONCAT_WS(text, words, words...) was given 1 argument'],
  ],
  translate: [
    [[name, string('A'), string('B')], '(translate #3:text "a":text "B":text):text'],
    [[label, string('A'), string('B')], '(translate #9:text "A":text "B":text):text'],
  ],
  initcap: [[[name], '(initial-capitals #3:text):text']],
  chr: [
    [[age], '(character #0:integer):text'],
    [[name], 'CHR(integer) takes a whole number here, not text'],
  ],
  ascii: [[[name], '(first-point #3:text):integer']],
  overlay: [
    [[name, string('X'), two], '(overlay #3:text "X":text 2:integer):text'],
    [[name, string('X'), two, age], '(overlay #3:text "X":text 2:integer #0:integer):text'],
  ],
  octet_length: [[[name], '(octet-length #3:text):integer']],
  bit_length: [[[name], '(* (octet-length #3:text):integer 8:integer):integer']],
  md5: [[[name], '(md5 #3:text):text']],
  sha256: [[[name], '(sha256 #3:text):text']],
  encode: [
    [[name, string('hex')], '(encode #3:text "hex":text):text'],
    [[call('sha256', name), string('HEX')], '(sha256 #3:text):text'],
    [
      [call('sha256', name), string('base64')],
      "SHA256 returns hexadecimal digits; ENCODE takes it only with the form 'hex'",
    ],
  ],
  decode: [[[name, string('hex')], '(decode #3:text "hex":text):text']],
  format: [
    [[string('%s'), age], '(format "%s":text (cast #0:integer):text):text'],
    [[age], 'FORMAT(text, words...) takes text here, not integer'],
  ],
  to_hex: [
    [[age], '(in-base (cast #0:integer):text 16:integer):text'],
    [[name], 'TO_HEX(integer) takes a whole number here, not text'],
  ],
  to_oct: [[[age], '(in-base (cast #0:integer):text 8:integer):text']],
  to_bin: [[[age], '(in-base (cast #0:integer):text 2:integer):text']],
  quote_literal: [[[age], '(quote-literal (cast #0:integer):text):text']],
  quote_nullable: [[[nothing], '(quote-nullable null:text):text']],
  quote_ident: [[[name], '(quote-name #3:text):text']],
};

export const REGEX_CALLS: FunctionCalls = {
  regexp_like: [
    [[name, string('A.*')], '(regex-like #3:text "A.*":text "i":text)'],
    [[label, string('A.*')], '(regex-like #9:text "A.*":text "":text)'],
    [[name, string('a'), string('c')], '(regex-like #3:text "a":text "ic":text)'],
    [[name, string('(?=a)')], 'look-ahead and look-behind are not available in regular expressions'],
    [[name, string('('), string('')], 'the regular expression is not valid: missing closing ): `(`'],
    [[age, string('a')], 'REGEXP_LIKE(text, text[, text]) takes text here, not integer'],
  ],
  regexp_full_match: [
    [[name, string('A.*|b')], '(regex-like #3:text "^(?:A.*|b)$":text "i":text)'],
    [[label, name], '(regex-like #9:text (concat-strict "^(?:":text #3:text ")$":text):text "":text)'],
    [[name, string('(')], 'the regular expression is not valid: missing closing ): `(`'],
  ],
  regexp_replace: [
    [
      [name, string('a'), string('b')],
      '(regex-replace #3:text "a":text "b":text 1:integer -1:integer "i":text):text',
    ],
    [
      [name, string('a'), string('b'), two, number('0'), string('n')],
      '(regex-replace #3:text "a":text "b":text 2:integer 0:integer "in":text):text',
    ],
    [
      [name, string('a'), string('b'), string('g')],
      '(regex-replace #3:text "a":text "b":text 1:integer -1:integer "ig":text):text',
    ],
    [
      [name, string('a'), string('b'), string('g'), two],
      'the fourth argument of REGEXP_REPLACE is a start or a text of options',
    ],
  ],
  regexp_substr: [
    [[name, string('a')], '(regex-substring #3:text "a":text 1:integer 1:integer "i":text 0:integer):text'],
  ],
  regexp_extract: [
    [
      [name, string('(a)'), number('1')],
      '(coalesce (regex-substring #3:text "(a)":text 1:integer 1:integer "i":text 1:integer):text (case (is-null #3:text) -> null:text, else "":text):text):text',
    ],
  ],
  regexp_count: [[[name, string('a')], '(regex-count #3:text "a":text 1:integer "i":text):integer']],
  regexp_instr: [
    [
      [name, string('a')],
      '(regex-position #3:text "a":text 1:integer 1:integer 0:integer "i":text 0:integer):integer',
    ],
  ],
  regexp_match: [
    [[name, string('(A)')], '(cast (regex-match #3:text "(A)":text "i":text):text):json'],
    [[name, string('(')], 'the regular expression is not valid: missing closing ): `(`'],
  ],
  regexp_split_to_array: [[[label, string(',')], '(cast (regex-split #9:text ",":text "":text):text):json']],
  'regexp matches': [
    [[name, string('a'), string('g')], '(cast (regex-matches #3:text "a":text "ig":text):text):json'],
  ],
  similar_to: [
    [[name, string('A%')], '(similar #3:text "a%":text "\\\\":text)'],
    [[name, string('a'), string('x')], 'ESCAPE takes one character that is not a letter'],
  ],
};
