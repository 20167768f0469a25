/** A pod's status as a strategic merge patch: what differs from the API's, and nothing where nothing does. Pure. */
import { isDeepStrictEqual } from "node:util";
import { type Condition, ownedConditions, type Status } from "./status-merge.js";

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
