import { stat } from 'node:fs/promises';

/** Whether there is something at a path, as far as this process may see. */
export const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
