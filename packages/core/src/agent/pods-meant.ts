/** Which pods a name means. A file of its own: a client of the agent loads it before it asks, and nothing else of core. */

/**
 * The names meant by one: those of that name, else those that have the node's suffix as well, as pods of manifest files have.
 * @param names of pods, with or without their namespaces
 */
export function podsMeant(names: readonly string[], name: string, nodeName: string): readonly string[] {
  const named = (wanted: string) => names.filter((full) => full === wanted || full.endsWith(`/${wanted}`));
  const exact = named(name);
  return exact.length > 0 ? exact : named(`${name}-${nodeName}`);
}
