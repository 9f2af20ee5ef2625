/** All questions of the tour, by kind. */
import { AGGREGATION_QUESTIONS } from './aggregation-questions.js';
import { countQuestions } from './count-questions.js';
import { EVENT_QUESTIONS } from './event-questions.js';
import { EXTRACTION_QUESTIONS } from './extraction-questions.js';
import { LARGE, type Question, SMALL } from './question.js';

/** `small` selects the questions for 20,000 flights. */
export const questionsOf = (small: boolean): readonly Question[] => [
  ...countQuestions(small ? SMALL : LARGE),
  ...EVENT_QUESTIONS,
  ...AGGREGATION_QUESTIONS,
  ...EXTRACTION_QUESTIONS,
];
