import { describe, expect, it } from 'vitest';
import { keySourceOf } from './key-source.ts';
import { thisMachine } from './this-machine.ts';

const source = (environment: Record<string, string>) =>
  keySourceOf('/home/ada/.noetl', { ...thisMachine, workingFolder: '/home/ada', environment });

describe('SEC-2: the master key', () => {
  it.each([
    ['the configuration of the user', { HOME: '/home/ada' }, { kind: 'own', folder: '/home/ada/.config/noetl/keys' }],
    ['XDG_CONFIG_HOME', { HOME: '/h', XDG_CONFIG_HOME: '/conf' }, { kind: 'own', folder: '/conf/noetl/keys' }],
    ['NOETL_KEY', { NOETL_KEY: 'k' }, { kind: 'text', text: 'k', next: undefined }],
    ['NOETL_KEY_FILE', { NOETL_KEY_FILE: 'my.key' }, { kind: 'file', file: '/home/ada/my.key', next: undefined }],
    [
      'NOETL_NEW_KEY_FILE',
      { NOETL_KEY_FILE: '/a', NOETL_NEW_KEY_FILE: '/b', NOETL_KEY: '' },
      { kind: 'file', file: '/a', next: '/b' },
    ],
  ])('comes from %s', (_, environment, expected) => {
    expect(source(environment)).toEqual(expected);
  });

  it.each([
    ['two of them', { NOETL_KEY: 'k', NOETL_KEY_FILE: '/f' }, 'are both set'],
    ['a file in the data folder', { NOETL_KEY_FILE: '.noetl/key' }, "is in the data folder '/home/ada/.noetl'"],
    ['a new file in the data folder', { NOETL_KEY_FILE: 'a', NOETL_NEW_KEY_FILE: '.noetl/b' }, 'is in the data folder'],
    ['a configuration in the data folder', { XDG_CONFIG_HOME: '/home/ada/.noetl' }, 'is in the data folder'],
  ])('is refused as %s', (_, environment, message) => {
    expect(() => source(environment)).toThrow(message);
  });
});
