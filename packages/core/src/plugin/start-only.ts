/** What a plugin may register in its start only: core reads it before the first pod is admitted. */
import { afterStart } from "@hooklet/utils";

/**
 * `port` with these of its methods for `start` only: later they throw PLUGIN_START, naming `prefix` and method, and change
 * nothing.
 */
export function startOnly<T extends object>(
  port: T,
  methods: readonly (keyof T & string)[],
  { plugin, prefix, isOpen }: { readonly plugin: string; readonly prefix: string; readonly isOpen: () => boolean },
): T {
  const closing: readonly unknown[] = methods;
  return new Proxy(port, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      if (closing.includes(key) && !isOpen()) {
        const call = `${prefix}${String(key)}`;
        return () => {
          throw afterStart(plugin, call);
        };
      }
      return member.bind(target) as unknown;
    },
  });
}
