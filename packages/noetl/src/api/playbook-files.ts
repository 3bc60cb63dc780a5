import * as z from 'zod';

/** More files, or more bytes of them, are not sent with a playbook. */
export const MOST_FILES = 500;
export const MOST_BYTES_OF_FILES = 2 * 1024 * 1024;

/** A path below a folder: no part of it leads out of there, and every system can have it. */
function isBelow(path: string): boolean {
  if (/[\u0000-\u001f\\]/.test(path)) return false;
  return path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= 200);
}

const Path = z.string().min(1).max(1024).refine(isBelow, 'expected a path below the folder, without . and ..');

const PlaybookFile = z.strictObject({
  path: Path,
  content: z
    .string()
    .max(Math.ceil(MOST_BYTES_OF_FILES / 3) * 4)
    .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'expected base64')
    .describe('its bytes, in base64'),
  executable: z.boolean().default(false),
});

/** Files beside a playbook that it names, and where among them it stands. */
export const PlaybookFiles = z
  .strictObject({
    at: z
      .union([z.literal(''), Path])
      .default('')
      .describe('the folder of the playbook itself, among the files'),
    legacy: z.boolean().default(false).describe('whether playbooks of older dialects among them are upgraded'),
    entries: z.array(PlaybookFile).max(MOST_FILES).readonly(),
  })
  .superRefine(({ at, entries }, { addIssue }) => {
    const folders = new Set(at === '' ? [] : [at, ...foldersOf(at)]);
    for (const { path } of entries) for (const folder of foldersOf(path)) folders.add(folder);
    const seen = new Set<string>();
    for (const { path } of entries) {
      if (folders.has(path) || seen.has(path)) addIssue({ code: 'custom', message: `'${path}' is there twice` });
      seen.add(path);
    }
    const bytes = entries.reduce((sum, { content }) => sum + Math.floor((content.length * 3) / 4), 0);
    if (bytes > MOST_BYTES_OF_FILES + 2 * entries.length) {
      addIssue({ code: 'custom', message: `files have ${bytes} bytes, expected at most ${MOST_BYTES_OF_FILES}` });
    }
  });

/** The folders that a path leads through. */
const foldersOf = (path: string): readonly string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, nth, parts) => parts.slice(0, nth + 1).join('/'));
