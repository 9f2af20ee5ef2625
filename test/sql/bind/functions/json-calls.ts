/** Calls of functions of JSON and points, and the expressions to which they are bound or the messages of their refusals. */
import { call, column, number, string } from '../../../support/sql/sql-nodes.js';
import type { FunctionCalls } from './text-calls.js';

const [age, ratio, name, tags, home] = ['age', 'ratio', 'name', 'tags', 'home'].map(column);
const [one, zero] = ['1', '0'].map(number);

export const JSON_CALLS: FunctionCalls = {
  json_array_length: [
    [[tags], '(json-length #7:json):integer'],
    [[string('[1]')], '(json-length (cast "[1]":text):json):integer'],
    [[age], 'JSON_ARRAY_LENGTH(json) takes a list or other JSON here, not integer'],
  ],
  cardinality: [[[tags], '(json-length #7:json):integer']],
  array_length: [
    [[tags], '(json-length #7:json):integer'],
    [
      [tags, one],
      '(case (= (json-length #7:json):integer 0:integer) -> null:integer, else (json-length #7:json):integer):integer',
    ],
    [[tags, zero], 'arrays have one dimension: ARRAY_LENGTH(list, 1)'],
  ],
  array: [
    [[], '(cast (concat-strict "[":text "]":text):text):json'],
    [
      [one, age],
      '(cast (concat-strict "[":text (json-item 1:integer):text ",":text (json-item #0:integer):text "]":text):text):json',
    ],
    [[one, string('a')], '"a" cannot be read as integer'],
    [
      [tags, tags],
      '(cast (concat-strict "[":text (json-item #7:json):text ",":text (json-item #7:json):text "]":text):text):json',
    ],
    [[tags, one], "json and integer have no common type; CAST one of them to the other's type"],
  ],
  list_extract: [
    [[tags, one], '(list-item #7:json 1:integer):text'],
    [
      [call('array', tags), one],
      '(cast (list-json (cast (concat-strict "[":text (json-item #7:json):text "]":text):text):json 1:integer):text):json',
    ],
  ],
  'list item': [[[tags, one], '(list-item #7:json 1:integer):text']],
  'array rows': [[[tags], '(coalesce #7:json (cast "[]":text):json):json']],
  json_extract_path_text: [
    [[tags, name, string('0')], '(json-path-text #7:json #3:text "0":text):text'],
    [[tags, age], 'JSON_EXTRACT_PATH_TEXT(json, text...) takes text here, not integer'],
  ],
  json_typeof: [[[tags], '(json-type #7:json):text']],
  array_to_string: [
    [[tags, name], '(list-text #7:json #3:text):text'],
    [[name, name], 'ARRAY_TO_STRING(json, text[, text]) takes a list or other JSON here, not text'],
  ],
  string_to_array: [[[name, name], '(cast (text-list #3:text #3:text null:text):text):json']],
  json_extract: [
    [[tags, zero], '(cast (json-extract #7:json "$[0]":text):text):json'],
    [[tags, string('$.')], '"$." is not a path; write $.key, $[0] or a key'],
    [[tags, ratio], "a path is a text such as '$.key' or '$[0]', or an index, not float"],
  ],
  json_extract_string: [[[tags, string('$[0]')], '(json-extract-text #7:json "$[0]":text):text']],
  json_build_array: [
    [[], '(cast (concat-strict "[":text "]":text):text):json'],
    [
      [one, name],
      '(cast (concat-strict "[":text (json-item 1:integer):text ",":text (json-item #3:text):text "]":text):text):json',
    ],
    [[tags], '(cast (concat-strict "[":text (json-item #7:json):text "]":text):text):json'],
  ],
  json_build_object: [
    [
      [name, one],
      '(cast (concat-strict "{":text (json-item #3:text):text ":":text (json-item 1:integer):text "}":text):text):json',
    ],
    [[name], 'JSON_BUILD_OBJECT takes keys and values in turn'],
  ],
  to_json: [[[age], '(cast (json-item #0:integer):text):json']],
  geo_point: [[[ratio, one], '(cast (geo-point #2:float 1:float):text):json']],
  longitude: [[[home], '(longitude #8:json):float']],
  latitude: [
    [[home], '(latitude #8:json):float'],
    [[name], 'LATITUDE(point) takes a point, such as GEO_POINT(longitude, latitude) here, not text'],
  ],
  geo_distance: [[[home, home], '(geo-distance #8:json #8:json):float']],
  geo_within_radius: [[[home, home, one], '(geo-within-radius #8:json #8:json 1:float)']],
  geo_within_box: [[[home, home, home], '(geo-within-box #8:json #8:json #8:json)']],
  geo_within_polygon: [[[home, name], '(geo-within-polygon #8:json #3:text)']],
  random: [
    [[], 'RANDOM is available only where the rows are entities of one dimension, or without FROM'],
    [[one, one], 'RANDOM([float]) was given 2 arguments'],
  ],
};
