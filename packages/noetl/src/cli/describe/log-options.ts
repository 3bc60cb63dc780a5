import type { Option } from 'commander';
import { choiceOption } from '../choice-option.ts';
import { LOG_FORMATS, LOG_LEVELS } from '../log/program-log.ts';

/** The options of every program that stays. */
export const LOG_FORMAT = (): Option =>
  choiceOption('--log-format <format>', 'how it writes to standard error', LOG_FORMATS);
export const LOG_LEVEL = (): Option => choiceOption('--log-level <level>', 'the least that it writes', LOG_LEVELS);
