/** Hooklet's packages for files that are not hooklet's own. */

type Next<Found, Context> = (specifier: string, context: Context) => Found;

/** What Node calls to resolve a specifier. In a thread of hooks `next` answers with a promise. */
export type OwnPackages = <Found, Context extends object>(
  specifier: string,
  context: Context,
  next: Next<Found, Context>,
) => Found | { readonly url: string; readonly shortCircuit: true };

/**
 * Resolves as Node does, but to the bundle's files for what is in the bundle, whatever is in `node_modules`, and to hooklet's packages for
 * files without their own copy.
 * @param bundled URLs by the names under which they are imported
 */
export function ownPackages(bundled: ReadonlyMap<string, string>): OwnPackages {
  return <Found, Context extends object>(specifier: string, context: Context, next: Next<Found, Context>) => {
    const url = bundled.get(specifier);
    if (url !== undefined) return { url, shortCircuit: true } as const;
    const lent = (error: unknown): Found => {
      if (!specifier.startsWith("@hooklet/")) throw error;
      return next(specifier, { ...context, parentURL: import.meta.url });
    };
    try {
      const found = next(specifier, context);
      return found instanceof Promise ? (found.catch(lent) as Found) : found;
    } catch (error) {
      return lent(error);
    }
  };
}
