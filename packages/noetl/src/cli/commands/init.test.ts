import { readPlaybook } from '@noetl/playbook';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Files, noetl } from '../scripted-terminal.testing.ts';

const TEMPLATES = ['http', 'etl', 'loop', 'pagination'];

describe('init', () => {
  it.each(TEMPLATES)(
    'writes a playbook from the template %s that validates without any diagnostic',
    async (template) => {
      const files: Files = {};
      expect(await noetl(['init', 'orders', '--template', template], files)).toEqual({
        exitCode: 0,
        stdout: 'wrote orders.yaml\n\nCheck it:  noetl validate orders.yaml\nDraw it:   noetl graph orders.yaml\n',
        stderr: '',
      });
      const { playbook, diagnostics } = readPlaybook(String(files['orders.yaml']), { file: 'orders.yaml' });
      expect(diagnostics).toEqual([]);
      expect(playbook?.metadata).toMatchObject({ name: 'orders', path: 'orders' });
      expect((await noetl(['validate', '--strict', 'orders.yaml'], files)).stdout).toBe('1 file: 1 valid\n');
      expect((await noetl(['graph', 'orders.yaml'], files)).exitCode).toBe(0);
    },
  );

  it('calls the file playbook.yaml if it has no name, and keeps an ending that was given', async () => {
    const files: Files = {};
    expect((await noetl(['init', '--json'], files)).stdout).toBe('{"file":"playbook.yaml"}\n');
    expect((await noetl(['init', 'a.yml', '--json'], files)).stdout).toBe('{"file":"a.yml"}\n');
    expect(Object.keys(files)).toEqual(['playbook.yaml', 'a.yml']);
    expect(files['a.yml']).toContain('name: a\n');
  });

  it('keeps a file that exists, unless told to replace it', async () => {
    const files: Files = { 'orders.yaml': 'mine' };
    expect(await noetl(['init', 'orders'], files)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'error: orders.yaml exists; choose another name, or replace it with --force\n',
    });
    expect(files['orders.yaml']).toBe('mine');
    expect((await noetl(['init', 'orders', '--force'], files)).exitCode).toBe(0);
    expect(files['orders.yaml']).not.toBe('mine');
  });

  it('proposes the nearest template', async () => {
    const files: Files = {};
    const { exitCode, stderr } = await noetl(['init', '--template', 'paginaton'], files);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/Allowed choices are http, etl, loop, pagination\. Did you mean 'pagination'\?\n$/);
    expect(files).toEqual({});
  });

  it.each(['../x', 'a/b', '/etc/x', '.hidden', 'a b', 'a\nb', '"', '', '.yaml', 'x'.repeat(101)])(
    'writes nothing for the name %j',
    async (name) => {
      const files: Files = {};
      const { exitCode, stderr } = await noetl(['init', '--', name], files);
      expect({ exitCode, files }).toEqual({ exitCode: 2, files: {} });
      expect(stderr).toMatch(/^error: '[\s\S]*' cannot be the name of a playbook; use /);
    },
  );

  it('keeps any other name as it is, whatever YAML would make of it', async () => {
    const hostile = fc.constantFrom(
      'true',
      'null',
      'No',
      '1',
      '1.0',
      '0x10',
      '1e3',
      '2026-01-02',
      '.5',
      'été',
      '日本',
      '_',
    );
    const name = fc.oneof(hostile, fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}$/));
    await fc.assert(
      fc.asyncProperty(
        name.filter((text) => !/^\.|\.ya?ml$/i.test(text)),
        async (text) => {
          const files: Files = {};
          expect((await noetl(['init', text], files)).exitCode).toBe(0);
          const { playbook } = readPlaybook(String(files[`${text}.yaml`]), { file: 'x' });
          expect(playbook?.metadata).toMatchObject({ name: text, path: text });
        },
      ),
      { numRuns: 100 },
    );
  });
});
