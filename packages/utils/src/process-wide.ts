/** One value for the whole process, even where core was loaded twice. The first caller creates it. */
export function processWide<T>(name: string, make: () => T): T {
  const key = Symbol.for(`@hooklet/core/${name}`);
  const all = globalThis as unknown as Record<symbol, T | undefined>;
  const there = all[key];
  if (there !== undefined) return there;
  const made = make();
  all[key] = made;
  return made;
}
