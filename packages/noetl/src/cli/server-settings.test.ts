import { describe, expect, it } from 'vitest';
import { serverSettings } from './server-settings.ts';

const settingsOf = (environment: Readonly<Record<string, string>>, host = '127.0.0.1') =>
  serverSettings(host, { environment });

describe('the settings of a server', () => {
  it('have limits also where nobody named them', () => {
    const usual = { rate: 1_000, running: { perServer: 10_000, perToken: 1_000 } };
    expect(settingsOf({})).toMatchObject(usual);
    expect(settingsOf({ NOETL_API_RATE: '', NOETL_MAX_EXECUTIONS: ' ' })).toMatchObject(usual);
  });

  it('are what the environment says', () => {
    const environment = { NOETL_API_RATE: '0', NOETL_MAX_EXECUTIONS: '5', NOETL_MAX_EXECUTIONS_PER_TOKEN: ' 2 ' };
    expect(settingsOf(environment)).toMatchObject({ rate: 0, running: { perServer: 5, perToken: 2 } });
  });

  it('are refused where they make no sense, by name', () => {
    for (const name of ['NOETL_API_RATE', 'NOETL_MAX_EXECUTIONS', 'NOETL_MAX_EXECUTIONS_PER_TOKEN']) {
      for (const text of ['ten', '-1', '1.5', '1e400', 'NaN', '0x10']) {
        expect(() => settingsOf({ [name]: text }), text).toThrow(
          `error: ${name} is '${text}', expected a whole number`,
        );
      }
    }
    for (const text of ['ui.example', 'null', '*', 'file:///x']) {
      expect(() => settingsOf({ NOETL_ORIGINS: text }), text).toThrow(`NOETL_ORIGINS is '${text}'`);
    }
  });

  it('name origins as browsers do, and hosts without regard to case', () => {
    const { names } = settingsOf({
      NOETL_ORIGINS: 'https://UI.example/ http://a:80,https://b:8443/x',
      NOETL_HOSTS: 'Etl.Example',
    });
    expect([...names.origins]).toEqual(['https://ui.example', 'http://a', 'https://b:8443']);
    expect(names.hosts).toContain('etl.example');
    expect(settingsOf({}, '0.0.0.0').names.hosts).toBeUndefined();
  });
});
