import { withResourceStatus } from "@hooklet/core/rules";
import { allocatedResourcesStatus, changedHealth, HealthUpdates } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import { knownKeys, only } from "./devices.js";

const RESOURCE = "test-resource";

type Health = Readonly<Record<string, string>>;

interface Input {
  readonly allocated?: readonly string[];
  readonly report?: Health;
  /** Device ids, or entries of a status. */
  readonly before?: readonly (string | { readonly name: string })[];
  readonly assigned?: Readonly<Record<string, string>>;
  readonly pods?: number;
  /** In words. */
  readonly reports?: string;
}

export const adapter: Adapter<Input> = {
  keys: ["allocated", "report", "pods", "reports", "before", "assigned"],
  run(input) {
    knownKeys(input, ["allocated", "report", "before", "assigned", "pods", "reports"]);
    if (input.reports !== undefined) return flood(input.pods ?? 0, input.reports);
    if (input.assigned !== undefined) return updates(input.report ?? {}, input.assigned);
    if (input.allocated !== undefined) return status(input.allocated, input.report ?? {});
    const own = [{ name: RESOURCE, resources: [] }];
    const merged = withResourceStatus(input.before as readonly { readonly name: string }[], own);
    return { names_after: merged.map(({ name }) => name) };
  },
  part: only,
};

const devicesOf = (report: Health) =>
  new Map(Object.entries(report).map(([id, health]) => [id, { id, health, nodes: [] }]));

function status(allocated: readonly string[], report: Health): object {
  const devices = devicesOf(report);
  const allocations = [{ resource: RESOURCE, devices: new Map([[-1, allocated]]) }];
  const found = allocatedResourcesStatus(allocations, (_, id) => devices.get(id));
  return { allocatedResourcesStatus: found, resources: found[0]?.resources };
}

/** One report after which each changed device's pod is notified. */
function updates(report: Health, assigned: Readonly<Record<string, string>>): object {
  const queue = new HealthUpdates();
  queue.push(changedHealth(new Map(), devicesOf(report)).flatMap((id) => assigned[id] ?? []));
  return { updates: queue.take() };
}

function flood(pods: number, text: string): object {
  if (text === "200 times only dev1 Healthy (the other devices vanish)") return unchanged(pods, 200);
  if (text !== "dev0..dev199 Unhealthy, one report each") throw new Error(`unknown reports: ${text}`);
  const queue = new HealthUpdates();
  const devices = Array.from({ length: pods }, (_, index) => `dev${index}`);
  let report = Object.fromEntries(devices.map((id) => [id, "Healthy"]));
  for (const [index, id] of devices.entries()) {
    const next = { ...report, [id]: "Unhealthy" };
    if (changedHealth(devicesOf(report), devicesOf(next)).join() === id) queue.push([`pod${index}`]);
    report = next;
  }
  const { dropped } = queue;
  const reported = queue.take();
  const inOrder = reported.every((one, index) => one.length === 1 && one[0] === `pod${index}`);
  const words = inOrder ? `pod0..pod${reported.length - 1} in order, one pod each` : JSON.stringify(reported);
  return { first_100_updates: words, dropped };
}

/** Each pod has a device; the plugin reports dev1 alone, again and again. */
function unchanged(pods: number, times: number): object {
  const queue = new HealthUpdates();
  let before = devicesOf(Object.fromEntries(Array.from({ length: pods }, (_, index) => [`dev${index}`, "Healthy"])));
  for (let report = 0; report < times; report++) {
    const now = devicesOf({ dev1: "Healthy" });
    queue.push(changedHealth(before, now).map((id) => id.replace("dev", "pod")));
    before = now;
  }
  return { updates: queue.take().length };
}
