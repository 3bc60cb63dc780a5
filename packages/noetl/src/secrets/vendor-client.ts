import { codeOf, Unresolved } from './unresolved.ts';

/** Loads a package by its name. */
export type LoadPackage = (name: string) => Promise<unknown>;

/** TOOL-7: the client of a vendor, loaded when it is first needed. */
export async function vendorClient<Client>(name: string, keeper: string, load: LoadPackage): Promise<Client> {
  try {
    return (await load(name)) as Client;
  } catch (error) {
    const code = codeOf(error);
    if (!isMissing(error)) {
      throw new Unresolved(`asks ${keeper}, and the package '${name}' cannot be loaded (${code}).`, {
        cause: error,
      });
    }
    throw new Unresolved(
      `asks ${keeper}, and the package '${name}' is not installed. Install it beside noetl: npm install ${name}`,
    );
  }
}

const isMissing = (error: unknown): boolean =>
  /^(ERR_)?MODULE_NOT_FOUND$/.test(codeOf(error)) ||
  (error instanceof Error && /^(Cannot find (package|module)|Could not resolve) /.test(error.message));

/** Asks a vendor's client; whatever it says is told by its code only. */
export async function askVendor<T>(secret: string, keeper: string, question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof Unresolved) throw error;
    const name = error instanceof Error && error.name !== 'Error' ? error.name : undefined;
    const number = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    const why = [name, number].filter((part) => part !== undefined).join(' ') || 'no reason';
    throw new Unresolved(`needs the secret '${secret}' of ${keeper}, which did not give it (${why}).`, {
      cause: error,
      passing: true,
    });
  }
}
