import { expect, it } from 'vitest';
import { taskEnvironment } from './task-environment.ts';

it('SEC-2: the programs of tasks inherit everything but the master key', () => {
  const environment = { PATH: '/bin', API_TOKEN: 't', NOETL_KEY: 'k', NOETL_NEW_KEY: 'n', NOETL_KEY_FILE: '/f' };
  expect(taskEnvironment({ environment })).toEqual({ PATH: '/bin', API_TOKEN: 't', NOETL_KEY_FILE: '/f' });
});
