import { type DeviceManager, decodeCheckpoint, encodeCheckpoint } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import {
  endpointOf,
  errorOf,
  hold,
  knownKeys,
  managerOf,
  only,
  podOf,
  type RawDevice,
  toDevice,
  type World,
  worldOf,
} from "./devices.js";

interface Step {
  readonly update?: Readonly<Record<string, readonly RawDevice[]>>;
  readonly stopped_for_seconds?: Readonly<Record<string, number>>;
  readonly plugin_disconnected?: string;
  readonly mark_unhealthy?: string;
  readonly write_and_reread_checkpoint?: boolean;
  /** A plugin connects and reports. */
  readonly register?: string;
  readonly devices?: readonly RawDevice[];
}

/** Where a case names none. */
const RESOURCE = "domain1.com/resource1";

interface Node {
  readonly world: World;
  manager: DeviceManager;
}

export const adapter: Adapter<{ readonly steps: readonly Step[] }> = {
  async run({ steps, ...rest }) {
    knownKeys(rest, []);
    const world = worldOf({ now: 10_000 });
    const node: Node = { world, manager: managerOf(world) };
    const answers = [];
    for (const step of steps) answers.push(await take(node, step));
    return { steps: answers };
  },
  part: ({ steps }: { readonly steps: readonly Answer[] }, expected: { readonly steps: readonly object[] }) => ({
    steps: steps.map((answer, index) => said(answer, expected.steps[index] ?? {})),
  }),
};

type Answer = Awaited<ReturnType<typeof take>>;

/** Cases about one resource give bare numbers. */
function said(answer: Answer, expected: object): object {
  const one = "capacity" in expected && typeof expected.capacity === "number";
  return only(
    one ? { ...answer, capacity: answer.capacity[RESOURCE], allocatable: answer.allocatable[RESOURCE] } : answer,
    expected,
  );
}

async function take(node: Node, step: Step) {
  const {
    update,
    stopped_for_seconds,
    plugin_disconnected,
    mark_unhealthy,
    write_and_reread_checkpoint,
    register,
    devices,
    ...rest
  } = step;
  knownKeys(rest, []);
  let { manager } = node;
  const report = (resource: string, raw: readonly RawDevice[]): void =>
    manager.reported(resource, raw.map(toDevice)) && undefined;
  for (const [resource, raw] of Object.entries(update ?? {})) {
    if (manager.inventory.get(resource)?.stoppedAt !== undefined || !manager.inventory.has(resource)) {
      manager.connected(resource, endpointOf());
    }
    report(resource, raw);
  }
  if (register !== undefined) {
    manager.connected(RESOURCE, endpointOf());
    report(RESOURCE, devices ?? []);
  }
  const gone = plugin_disconnected ?? "";
  if (gone !== "") manager.disconnected(gone);
  if (mark_unhealthy !== undefined) manager.inventory.markUnhealthy(mark_unhealthy);
  for (const [resource, seconds] of Object.entries(stopped_for_seconds ?? {})) {
    manager.inventory.stopped(resource, (node.world.now - seconds) * 1000);
  }
  if (write_and_reread_checkpoint) {
    const text = encodeCheckpoint(manager.checkpoint());
    manager = managerOf(node.world);
    manager.restore(decodeCheckpoint(text));
    node.manager = manager;
  }
  const { capacity, allocatable, removed } = manager.capacity();
  const resource = gone === "" ? (Object.keys({ ...update, ...stopped_for_seconds })[0] ?? RESOURCE) : gone;
  const known = manager.inventory.get(resource);
  return {
    capacity,
    allocatable,
    removed,
    healthy: known?.healthy.size,
    unhealthy: known?.unhealthy.size,
    healthy_keys: manager.inventory.names().length,
    unhealthy_keys: manager.inventory.names().length,
    endpoints: manager.inventory.names().length,
    still_device_resource: manager.inventory.names().length > 0,
    ...(gone === "" ? {} : await callsTo(node, gone)),
  };
}

/** What calls to the plugin come to, with its resource as the one without devices. */
async function callsTo({ world, manager }: Node, resource: string): Promise<object> {
  const copy = managerOf(world);
  copy.connected(resource, endpointOf({ options: { preStartRequired: true, getPreferredAllocationAvailable: false } }));
  copy.reported(resource, manager.inventory.get(resource)?.devices ?? []);
  const pod = podOf("pod", [{ name: "c", limits: { [resource]: 1 } }]);
  copy.inventory.stopped(resource, 0);
  const [container] = pod.spec.containers;
  if (container === undefined) throw new Error("no container");
  const allocate = await errorOf(() => copy.allocate(pod, container));
  hold(copy, "pod", "c", resource, ["x"]);
  const preStart = await errorOf(() => copy.prepare(pod, container));
  return { allocate_error: named(allocate, resource), pre_start_error: named(preStart, resource) };
}

function named(text: string | null, resource: string): string | null {
  const bare = text?.replace("device plugin PreStartContainer rpc failed with err: ", "") ?? null;
  return bare === null ? null : bare.replace(resource, "<endpoint>");
}
