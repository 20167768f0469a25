/** Whether what a scenario expects has come true, and in words what is different. Pure. */
import { namespacedName, type Pod } from "@hooklet/manifest";
import { podFacts, type SimulationRecord } from "../records/record.js";
import type { Expectation } from "../scenario/schema.js";

/** Characters of a value that are shown. */
const MAX_SAID = 200;
/** Characters before the first one that differs, where more than that is not shown. */
const BEFORE = 20;

/** The node as expectations see it. */
export interface Snapshot {
  readonly pods: readonly Pod[];
  readonly images: readonly { readonly id: string; readonly names: readonly string[] }[];
  /** Holder by `resource/id`: `namespace/name`, null for a free device. */
  readonly devices: ReadonlyMap<string, string | null>;
  /** By type. */
  readonly conditions: ReadonlyMap<string, string>;
  /** Events and decisions until now. */
  readonly records: readonly SimulationRecord[];
  /** What containers have of what is asked for. */
  readonly inside: ReadonlyMap<Expectation, Inside>;
}

/** A variable's value, or what is in a file, null where there is none; or why it is unknown. */
export type Inside = { readonly found: string | null } | { readonly why: string };

/** What is different; undefined: nothing. */
export function difference(expected: Expectation, seen: Snapshot): string | undefined {
  if (expected.event !== undefined) return eventDifference(expected, seen.records);
  if (expected.decision !== undefined) return decisionDifference(expected, seen.records);
  if (expected.image !== undefined) return imageDifference(expected, seen);
  if (expected.device !== undefined) return deviceDifference(expected, seen);
  if (expected.condition !== undefined) return conditionDifference(expected, seen);
  const inside = insideDifference(expected, seen.inside.get(expected));
  return [podDifference(expected, seen.pods), inside].filter((text) => text !== undefined).join("; ") || undefined;
}

/** What is expected, in few words: `pod web`, `event Unhealthy`. */
export function subjectOf(expected: Expectation): string {
  const { event, decision, image, device, condition, pod, env, file } = expected;
  if (event !== undefined) return `event ${event}${pod === undefined ? "" : ` of pod ${pod}`}`;
  if (decision !== undefined) return `decision "${decision}"${pod === undefined ? "" : ` about pod ${pod}`}`;
  if (image !== undefined) return `image ${image}`;
  if (device !== undefined) return `device ${device}`;
  if (condition !== undefined) return `condition ${condition}`;
  return [`pod ${pod}`, env && `variable ${env}`, file && `file ${file}`].filter(Boolean).join(", ");
}

const fullName = (name: string): string => (name.includes("/") ? name : `default/${name}`);

function podDifference(expected: Expectation, pods: readonly Pod[]): string | undefined {
  const key = fullName(expected.pod ?? "");
  const pod = pods.find(({ metadata }) => namespacedName(metadata) === key);
  if (expected.exists === false)
    return pod === undefined ? undefined : `expected no such pod, found one in phase ${podFacts(pod).phase}`;
  if (pod === undefined) return `expected a pod, found none (there are ${namesOf(pods)})`;
  const { status = {} } = pod;
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const found = podFacts(pod);
  const wrong = (["phase", "ready", "restarts"] as const).flatMap((key) =>
    expected[key] === undefined || expected[key] === found[key]
      ? []
      : [`expected ${key} ${expected[key]}, found ${found[key]}`],
  );
  const reasons = [
    status.reason,
    ...containers.flatMap(({ state, lastState }) => [
      state?.waiting?.reason,
      state?.terminated?.reason,
      lastState?.terminated?.reason,
    ]),
  ].filter((reason) => reason !== undefined && reason !== "");
  if (expected.reason !== undefined && !reasons.includes(expected.reason)) {
    wrong.push(`expected reason ${expected.reason}, found ${[...new Set(reasons)].join(", ") || "none"}`);
  }
  if (expected.message !== undefined && !(status.message ?? "").includes(expected.message)) {
    wrong.push(`expected a message with "${expected.message}", found "${status.message ?? ""}"`);
  }
  return wrong.length === 0 ? undefined : wrong.join("; ");
}

function insideDifference({ env, value, content }: Expectation, inside: Inside | undefined): string | undefined {
  if (inside === undefined) return undefined;
  if ("why" in inside) return inside.why;
  const { found } = inside;
  const wanted = env === undefined ? content : value;
  if (wanted === undefined ? found !== null : wanted === found) return undefined;
  const from = shownFrom(wanted ?? "", found ?? "");
  const said = (text: string | null): string => (text === null ? "none" : excerpt(text, from));
  return `expected ${wanted === undefined ? "one" : said(wanted)}, found ${said(found)}`;
}

/** From where two texts are shown, so that the difference is in it. */
function shownFrom(one: string, other: string): number {
  if (Math.max(one.length, other.length) <= MAX_SAID || one === "" || other === "") return 0;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return Math.max(0, at - BEFORE);
}

function excerpt(text: string, from: number): string {
  const end = from + MAX_SAID;
  return `${from > 0 ? "…" : ""}${JSON.stringify(text.slice(from, end))}${end < text.length ? "…" : ""}`;
}

function eventDifference(expected: Expectation, records: readonly SimulationRecord[]): string | undefined {
  const { event, pod, container, message } = expected;
  const events = records.filter((record) => record.kind === "event");
  const count = events.filter(
    (one) =>
      one.reason === event &&
      (pod === undefined || one.object === `pod/${fullName(pod)}`) &&
      (container === undefined || one.container === container) &&
      (message === undefined || one.message.includes(message)),
  ).length;
  const others = [...new Set(events.map(({ reason }) => reason))].sort().join(", ");
  return countDifference(expected, count, "event", `reasons there were: ${others || "none"}`);
}

function decisionDifference(expected: Expectation, records: readonly SimulationRecord[]): string | undefined {
  const { decision = "", pod } = expected;
  const about = pod === undefined ? undefined : fullName(pod);
  const decisions = records.filter((record) => record.kind === "decision");
  const count = decisions.filter(
    ({ subject, outcome }) =>
      outcome.includes(decision) &&
      (about === undefined || subject === `pod/${about}` || subject.startsWith(`container/${about}/`)),
  ).length;
  return countDifference(expected, count, "decision", `there were ${decisions.length} in all`);
}

function countDifference(
  { count, min, max }: Expectation,
  found: number,
  what: string,
  hint: string,
): string | undefined {
  const least = count ?? min ?? (max === undefined ? 1 : 0);
  const most = count ?? max ?? Number.POSITIVE_INFINITY;
  if (found >= least && found <= most) return undefined;
  const bound = found < least ? least : most;
  const how = count === undefined ? (found < least ? "at least " : "at most ") : "";
  return `expected ${how}${bound} such ${what}${bound === 1 ? "" : "s"}, found ${found} (${hint})`;
}

function imageDifference({ image = "", present = true }: Expectation, { images }: Snapshot): string | undefined {
  const tagged = image.includes(":") || image.includes("@") ? image : `${image}:latest`;
  const there = images.some(({ id, names }) => id === image || names.includes(image) || names.includes(tagged));
  if (there === present) return undefined;
  const names = images.map((one) => one.names[0] ?? one.id);
  return `expected it ${present ? "on the node" : "removed"}, found it ${there ? "there" : "gone"} (images: ${names.join(", ") || "none"})`;
}

function deviceDifference({ device = "", resource, holder }: Expectation, { devices }: Snapshot): string | undefined {
  const found = [...devices].filter(([key]) =>
    resource === undefined ? key.endsWith(`/${device}`) : key === `${resource}/${device}`,
  );
  const [only] = found;
  if (only === undefined) return `expected a device, found none of this id`;
  if (holder === undefined) return undefined;
  const wanted = holder === null ? null : fullName(holder);
  return only[1] === wanted ? undefined : `expected ${wanted ?? "no pod"} to hold it, found ${only[1] ?? "no pod"}`;
}

function conditionDifference(
  { condition = "", status = "True" }: Expectation,
  { conditions }: Snapshot,
): string | undefined {
  const found = conditions.get(condition);
  if (found === status) return undefined;
  return `expected ${status}, found ${found ?? `none (there are ${[...conditions.keys()].join(", ") || "none"})`}`;
}

function namesOf(pods: readonly Pod[]): string {
  const names = pods.slice(0, 20).map(({ metadata }) => namespacedName(metadata));
  return names.length === 0 ? "none" : `${names.join(", ")}${pods.length > names.length ? ", ..." : ""}`;
}
