/** Which container of a pod a step of a timeline means. */
import type { ScenarioNode } from "./node.js";

/** Their names, those of init containers last. */
export function containersOf(source: ScenarioNode["source"], podUid: string): readonly string[] {
  const spec = source.spec(podUid)?.spec;
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ name }) => name);
}

/** The one that is named, or the first of spec.containers: an init container or a sidecar is meant by its name alone. */
export function containerOf(source: ScenarioNode["source"], podUid: string, named: string | undefined): string {
  return named ?? containersOf(source, podUid)[0] ?? "";
}
