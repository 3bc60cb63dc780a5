/** The map without the keys that another has. */
export const without = <T>(map: Readonly<Record<string, T>>, other: object): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !Object.hasOwn(other, key)));
