/** Which dead containers, sandboxes, log directories and links go (the kubelet's kuberuntime_gc.go); times in milliseconds. Pure. */

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

/** In the order of their removal. A failed removal counts as done: no other container is removed in its place. */
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

export interface SeenSandbox {
  readonly id: string;
  readonly podUid: string;
  /** When it was created, milliseconds. */
  readonly created: number;
  readonly ready: boolean;
  /** A container belongs to it, dead or alive. */
  readonly hasContainers: boolean;
}

export interface SandboxRemoval<Sandbox> {
  readonly sandbox: Sandbox;
  readonly why: string;
}

/**
 * In the order of their removal, oldest first. Those that are ready or have a container stay; so does the newest of a pod that is
 * still there. Sources need not be ready: what is removed holds nothing. Each is stopped first, and stays if that fails.
 */
export function sandboxesToRemove<Sandbox extends SeenSandbox>(
  sandboxes: readonly Sandbox[],
  pods: Omit<PodStates, "allSourcesReady">,
): readonly SandboxRemoval<Sandbox>[] {
  const byPod = new Map<string, Sandbox[]>();
  for (const sandbox of sandboxes) {
    const own = byPod.get(sandbox.podUid);
    if (own === undefined) byPod.set(sandbox.podUid, [sandbox]);
    else own.push(sandbox);
  }
  return [...byPod].flatMap(([podUid, own]) => {
    const gone = goneBecause(podUid, { ...pods, allSourcesReady: true });
    own.sort((a, b) => b.created - a.created);
    const why = gone ?? "its pod has a newer sandbox";
    return own
      .slice(gone === undefined ? 1 : 0)
      .reverse()
      .filter(({ ready, hasContainers }) => !ready && !hasContainers)
      .map((sandbox) => ({ sandbox, why }));
  });
}

/** `<namespace>_<name>_<uid>`, or as very old kubelets had it the uid alone. */
export function podUidOfLogDirectory(name: string): string {
  return name.slice(name.lastIndexOf("_") + 1);
}

/** The names of those whose pod is gone; none before all sources are ready. */
export function logDirectoriesToRemove(
  names: readonly string[],
  { allSourcesReady, isDeleted }: Pick<PodStates, "allSourcesReady" | "isDeleted">,
): readonly string[] {
  return allSourcesReady ? names.filter((name) => isDeleted(podUidOfLogDirectory(name))) : [];
}

const CONTAINER_ID = /-([^-]{6,})\.log$/;

/** The id in the name of a link in /var/log/containers, `<pod>_<namespace>_<container>-<id>.log`; undefined when there is none: an id has at least 6 characters. */
export function containerIdOfLogLink(name: string): string | undefined {
  return CONTAINER_ID.exec(name)?.[1];
}

/**
 * Whether a link whose target is missing goes: the target of a container that has not exited may only be between two files of a log
 * rotation. `state` undefined: the name holds no container id, or its state cannot be read.
 */
export function deadLogLinkGoes(state: "created" | "running" | "exited" | "unknown" | undefined): boolean {
  return state === undefined || state === "exited";
}
