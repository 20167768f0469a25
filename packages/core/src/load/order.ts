/** Pure. */

/** A plugin as far as its place in the order of start goes. */
export interface Ordered {
  readonly name: string;
  readonly requires: readonly string[];
}

export type Order<T extends Ordered> =
  | { readonly order: readonly T[] }
  /** The names along the loop; the first is repeated at the end. */
  | { readonly loop: readonly string[] };

/** Requirements first, else the given order. Requirements that are not there are passed over. */
export function startOrder<T extends Ordered>(plugins: readonly T[]): Order<T> {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const done = new Set<string>();
  const order: T[] = [];

  const visit = (plugin: T, above: readonly string[]): readonly string[] | undefined => {
    if (done.has(plugin.name)) return undefined;
    const at = above.indexOf(plugin.name);
    if (at >= 0) return [...above.slice(at), plugin.name];
    for (const name of plugin.requires) {
      const required = byName.get(name);
      const loop = required === undefined ? undefined : visit(required, [...above, plugin.name]);
      if (loop !== undefined) return loop;
    }
    done.add(plugin.name);
    order.push(plugin);
    return undefined;
  };

  for (const plugin of plugins) {
    const loop = visit(plugin, []);
    if (loop !== undefined) return { loop };
  }
  return { order };
}
