/** Which dead containers go (evictContainers of the kubelet's kuberuntime_gc.go); times in milliseconds. Pure. */

export interface ContainerPolicy {
  /** Milliseconds since its creation that a dead container is kept. */
  readonly minAge: number;
  /** Dead containers kept per container of a pod; below 0 = all. */
  readonly maxPerPodContainer: number;
  /** Dead containers kept on the node; below 0 = all. */
  readonly maxContainers: number;
}

/** The kubelet's defaults. */
export const kubeletContainerPolicy: ContainerPolicy = { minAge: 0, maxPerPodContainer: 1, maxContainers: -1 };

export interface SeenContainer {
  readonly id: string;
  readonly podUid: string;
  readonly name: string;
  /** When it was created, milliseconds. */
  readonly created: number;
  readonly state: "created" | "running" | "exited" | "unknown";
}

/** Whose pods still count. */
export interface PodStates {
  /** Whether every source of pods has been read: until then a pod that is unknown may only not have come yet. */
  readonly allSourcesReady: boolean;
  /** The pod is gone: nothing of it shall stay. */
  readonly isDeleted: (podUid: string) => boolean;
  /** Its containers have ended for good. */
  readonly isTerminated: (podUid: string) => boolean;
  /** What terminated pods hold goes too: under disk pressure. */
  readonly evictTerminated: boolean;
}

export interface ContainerRemoval<Container> {
  readonly container: Container;
  /** Its state is unknown: it may run, so it is stopped first, and stays if that fails. */
  readonly stopFirst: boolean;
  readonly why: string;
}

/** In the order of their removal. A removal that fails is as good as done: nobody else goes in its place. */
export function containersToRemove<Container extends SeenContainer>(
  containers: readonly Container[],
  policy: ContainerPolicy,
  pods: PodStates,
  now: number,
): readonly ContainerRemoval<Container>[] {
  const removals: ContainerRemoval<Container>[] = [];
  const remove = (container: Container, why: string): void => {
    removals.push({ container, stopFirst: container.state === "unknown", why });
  };
  const units = new Map<string, Container[]>();
  for (const [key, unit] of unitsOf(containers, policy, now)) {
    const why = pods.allSourcesReady ? goneBecause(unit[0]?.podUid ?? "", pods) : undefined;
    if (why === undefined) units.set(key, unit);
    else for (const container of unit.reverse()) remove(container, why);
  }
  const { maxPerPodContainer, maxContainers } = policy;
  if (maxPerPodContainer >= 0)
    limit(units, maxPerPodContainer, `more than ${maxPerPodContainer} of this container`, remove);
  if (maxContainers < 0 || count(units) <= maxContainers) return removals;
  const why = `more than ${maxContainers} dead containers on the node`;
  limit(units, Math.max(1, Math.floor(maxContainers / units.size)), why, remove);
  const rest = [...units.values()].flat().sort(newestFirst);
  for (const container of rest.slice(maxContainers).reverse()) remove(container, why);
  return removals;
}

/** Why nothing of the pod is kept; undefined when it is still there. */
export function goneBecause(podUid: string, pods: PodStates): string | undefined {
  if (pods.isDeleted(podUid)) return "its pod is gone";
  return pods.evictTerminated && pods.isTerminated(podUid) ? "its pod has ended" : undefined;
}

/** What may go, by pod and container name, the newest first. */
function unitsOf<Container extends SeenContainer>(
  containers: readonly Container[],
  { minAge }: ContainerPolicy,
  now: number,
): Map<string, Container[]> {
  const units = new Map<string, Container[]>();
  for (const container of containers) {
    if (container.state === "running" || Math.max(0, now - container.created) < minAge) continue;
    const key = `${container.podUid}/${container.name}`;
    const unit = units.get(key);
    if (unit === undefined) units.set(key, [container]);
    else unit.push(container);
  }
  for (const unit of units.values()) unit.sort(newestFirst);
  return units;
}

/** Keeps the newest `most` of each unit. */
function limit<Container>(
  units: Map<string, Container[]>,
  most: number,
  why: string,
  remove: (container: Container, why: string) => void,
): void {
  for (const [key, unit] of units) {
    for (const container of unit.slice(most).reverse()) remove(container, why);
    units.set(key, unit.slice(0, most));
  }
}

function count(units: ReadonlyMap<string, readonly unknown[]>): number {
  return [...units.values()].reduce((sum, unit) => sum + unit.length, 0);
}

function newestFirst(a: SeenContainer, b: SeenContainer): number {
  return b.created - a.created;
}
