/** A pod's status as a strategic merge patch: what differs from the API's, and nothing where nothing does. Pure. */

import { isDeepStrictEqual } from "node:util";
import type { Pod } from "@hooklet/core";
import type * as v1 from "kubernetes-types/core/v1.js";

// The status that a pod is to have in the API, of what the agent says and what the API has (pkg/kubelet/status).

/** The types of the API's packages are older than some fields. */
export type Status = Omit<v1.PodStatus, "conditions"> & {
  readonly observedGeneration?: number;
  readonly hostIPs?: readonly { readonly ip: string }[];
  readonly conditions?: readonly Condition[];
};

export type Condition = v1.PodCondition & { readonly observedGeneration?: number };

/** Conditions that the node sets; all others belong to other writers and stay as they are. */
const ownedConditions: ReadonlySet<string> = new Set([
  "PodScheduled",
  "Initialized",
  "ContainersReady",
  "Ready",
  "PodReadyToStartContainers",
  "PodResizeInProgress",
  "PodResizePending",
  "AllContainersRestarting",
  "DisruptionTarget",
]);

interface MergeInput {
  /** As the agent shows it. */
  readonly pod: Pod;
  /** As the API has it. */
  readonly inApi: Status;
  /** Of what the agent acts on. */
  readonly generation: number | undefined;
  readonly hostIP: string;
  /** Conditions that others set in the API and the agent only reads. */
  readonly foreign: ReadonlySet<string>;
}

export function mergedStatus({ pod, inApi, generation, hostIP, foreign }: MergeInput): Status {
  const { conditions = [], ...said } = (pod.status ?? {}) as Status;
  const { phase: _, reason: __, message: ___, ...rest } = said;
  const observed = observedGeneration(inApi, generation);
  const status: Status = {
    ...rest,
    ...heldBack(said, inApi),
    ...startedOnce(inApi),
    ...keptStatuses(said, inApi),
    ...addresses(said, inApi),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...observed,
  };
  const own = conditions.filter(({ type }) => !foreign.has(type));
  return { ...status, conditions: mergedConditions(own, status, inApi, observed) };
}

function observedGeneration(inApi: Status, generation: number | undefined): { observedGeneration?: number } {
  const highest = Math.max(inApi.observedGeneration ?? 0, generation ?? 0);
  return highest > 0 ? { observedGeneration: highest } : {};
}

/** A final phase stays, and is reported only when no container runs any more: until then the API's phase stands. */
function heldBack(said: Status, inApi: Status): Pick<Status, "phase" | "reason" | "message"> {
  const wins = isFinal(inApi.phase) || (isFinal(said.phase) && mayRun(said));
  const { phase, reason, message } = wins ? inApi : said;
  return defined({ phase: phase ?? "Pending", reason, message });
}

function isFinal(phase: string | undefined): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

function mayRun({ containerStatuses = [], initContainerStatuses = [] }: Status): boolean {
  return [...containerStatuses, ...initContainerStatuses].some(({ state }) => state?.running !== undefined);
}

function startedOnce({ startTime }: Status): Pick<Status, "startTime"> {
  return startTime === undefined ? {} : { startTime };
}

/** Containers sorted by name; a container of which nothing is left keeps the end that the API has. */
function keptStatuses(said: Status, inApi: Status): Partial<Status> {
  const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = said;
  return defined({
    containerStatuses: containerStatuses
      ?.map((status) => kept(status, inApi.containerStatuses))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    initContainerStatuses: initContainerStatuses?.map((status) => kept(status, inApi.initContainerStatuses)),
    ephemeralContainerStatuses,
  });
}

function kept(status: v1.ContainerStatus, inApi: readonly v1.ContainerStatus[] = []): v1.ContainerStatus {
  if (status.state?.terminated?.reason !== "ContainerStatusUnknown") return status;
  const old = inApi.find(({ name }) => name === status.name);
  return old?.state?.terminated === undefined ? status : old;
}

/** The addresses stay after the end. */
function addresses({ podIP, podIPs }: Status, inApi: Status): Partial<Status> {
  return podIP === undefined ? defined({ podIP: inApi.podIP, podIPs: inApi.podIPs }) : defined({ podIP, podIPs });
}

function mergedConditions(
  said: readonly Condition[],
  { phase }: Status,
  inApi: Status,
  observed: { observedGeneration?: number },
): readonly Condition[] {
  const known = new Map((inApi.conditions ?? []).map((condition) => [condition.type, condition]));
  return (
    said
      // A pod that still runs has not been disrupted yet.
      .filter(({ type }) => type !== "DisruptionTarget" || isFinal(phase) || known.has(type))
      .map((condition) => {
        const old = known.get(condition.type);
        const unmoved = old?.status === condition.status && old.lastTransitionTime !== undefined;
        const { lastProbeTime: _, ...words } = condition;
        return defined({
          ...words,
          lastTransitionTime: unmoved ? old.lastTransitionTime : condition.lastTransitionTime,
          ...observed,
        });
      })
  );
}

function defined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** Fields that the node writes. */
const fields = [
  "phase",
  "reason",
  "message",
  "hostIP",
  "hostIPs",
  "podIP",
  "podIPs",
  "startTime",
  "qosClass",
  "observedGeneration",
  "containerStatuses",
  "initContainerStatuses",
  "ephemeralContainerStatuses",
] as const satisfies readonly (keyof Status)[];

/** Lists whose elements the API merges by a key: they are replaced whole. */
const keyed: ReadonlySet<string> = new Set(["podIPs", "hostIPs"]);

/** Undefined: there is nothing to tell. */
export function podStatusPatch(after: Status, inApi: Status): Readonly<Record<string, unknown>> | undefined {
  const patch: Record<string, unknown> = {};
  for (const field of fields) {
    const [ours, theirs] = [plain(after[field]), plain(inApi[field])];
    if (isDeepStrictEqual(ours, theirs)) continue;
    if (ours === undefined) patch[field] = null;
    else patch[field] = keyed.has(field) && Array.isArray(ours) ? [...ours, { $patch: "replace" }] : ours;
  }
  const conditions = conditionPatch(after.conditions ?? [], inApi.conditions ?? []);
  if (conditions.length > 0) patch.conditions = conditions;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** What the API has once it has taken the patch: what others say there stays. */
export function writtenStatus(after: Status, inApi: Status): Status {
  const [own, ours] = [new Set<string>(fields), (after.conditions ?? []).map(({ type }) => type)];
  const { conditions: known = [], ...rest } = inApi;
  const theirs = Object.entries(rest).filter(([field]) => !own.has(field));
  const written = Object.entries(after).filter(([field, value]) => own.has(field) && plain(value) !== undefined);
  const kept = known.filter(({ type }) => !ours.includes(type) && !isOver(type));
  const conditions = [...kept, ...(after.conditions ?? [])];
  return { ...Object.fromEntries([...theirs, ...written]), ...(conditions.length > 0 && { conditions }) };
}

/** A condition of the node that is not reported any more. DisruptionTarget stays true. */
function isOver(type: string): boolean {
  return ownedConditions.has(type) && type !== "DisruptionTarget";
}

function conditionPatch(after: readonly Condition[], inApi: readonly Condition[]): readonly unknown[] {
  const known = new Map(inApi.map((condition) => [condition.type, condition]));
  const changed = after.filter((condition) => !isSame(condition, known.get(condition.type)));
  const types = new Set(after.map(({ type }) => type));
  const gone = inApi.filter(({ type }) => !types.has(type) && isOver(type));
  return [
    // A removed value must be sent as null.
    ...changed.map((condition) => ({ ...missing(condition, known.get(condition.type)), ...condition })),
    ...gone.map(({ type }) => ({ type, $patch: "delete" })),
  ];
}

function missing(condition: Condition, before: Condition | undefined): object {
  const names = ["reason", "message"] as const;
  return Object.fromEntries(
    names.flatMap((name) => (before?.[name] !== undefined && condition[name] === undefined ? [[name, null]] : [])),
  );
}

function isSame(ours: Condition, theirs: Condition | undefined): boolean {
  if (theirs === undefined) return false;
  const { lastProbeTime: _, ...rest } = theirs;
  return isDeepStrictEqual(plain(ours), plain(rest));
}

/** As it goes over the wire: without what is undefined, null or empty. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => plain(item) ?? {});
  if (typeof value !== "object" || value === null) return value === null || value === "" ? undefined : value;
  const entries = Object.entries(value).map(([key, item]) => [key, plain(item)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}
