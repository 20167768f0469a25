/** The plugins of an agent without an rc file, in the order of their start. The only file of core that names any. */
export const defaultPlugins: readonly string[] = [
  "@hooklet/plugin-devices",
  "@hooklet/plugin-preemption",
  "@hooklet/plugin-probe",
];

export const defaultRuntime = "process";

const SHORT = /^[a-z][a-z0-9-]{0,60}$/;

/**
 * The packages that a name in the rc file may mean, the first that is there wins: `probe` is
 * `@hooklet/plugin-probe`, or else a package of that very name.
 */
export function candidates(kind: "plugin" | "runtime", specifier: string): readonly string[] {
  return SHORT.test(specifier) ? [`@hooklet/${kind}-${specifier}`, specifier] : [specifier];
}
