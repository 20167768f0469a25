/** What a pod holds of the node: what is applied, while it waits for more or less (a resize in place). Pure. */
import type { Container, Pod } from "@hooklet/manifest";
import type { StatusOverrides } from "./status-overrides.js";

/** The last spec of each, so that the same overrides of the same pod give the same object. */
const known = new WeakMap<StatusOverrides["applied"], { readonly of: Pod["spec"]; readonly spec: Pod["spec"] }>();

/** The pod with the amounts that plugins say are applied. */
export function holding(pod: Pod, { applied }: Pick<StatusOverrides, "applied">): Pod {
  if (Object.keys(applied).length === 0) return pod;
  const before = known.get(applied);
  const spec = before?.of === pod.spec ? before.spec : specOf(pod.spec, applied);
  known.set(applied, { of: pod.spec, spec });
  return { ...pod, spec };
}

function specOf(spec: Pod["spec"], applied: StatusOverrides["applied"]): Pod["spec"] {
  const withOwn = (container: Container): Container => {
    const own = applied[container.name];
    if (own === undefined) return container;
    const { requests = {}, limits = {} } = own;
    return { ...container, resources: { ...container.resources, requests: { ...requests }, limits: { ...limits } } };
  };
  const { containers, initContainers } = spec;
  return {
    ...spec,
    containers: containers.map(withOwn),
    ...(initContainers !== undefined && { initContainers: initContainers.map(withOwn) }),
  };
}
