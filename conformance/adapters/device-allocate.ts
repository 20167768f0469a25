import type { Container, Pod } from "@hooklet/core";
import type { AllocateResponse, DeviceManager } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import {
  type Answers,
  endpointOf,
  errorOf,
  hold,
  knownKeys,
  type Limits,
  managerOf,
  nothing,
  only,
  podOf,
  textFor,
  toDevices,
  type World,
  worldOf,
} from "./devices.js";

const RESOURCE = "domain1.com/resource1";

interface RawAnswer {
  readonly devices: readonly (readonly [string, string, string])[];
  readonly mounts: readonly (readonly [string, string, boolean])[];
  readonly envs: Readonly<Record<string, string>>;
}

/** What the plugins of most cases answer for each device. */
const standard: Readonly<Record<string, RawAnswer>> = {
  dev1: {
    devices: [
      ["/dev/aaa", "/dev/aaa", "mrw"],
      ["/dev/bbb", "/dev/bbb", "mrw"],
    ],
    mounts: [["/container_dir1/file1", "host_dir1/file1", true]],
    envs: {},
  },
  dev2: {
    devices: [["/dev/ccc", "/dev/ccc", "mrw"]],
    mounts: [["/container_dir1/file2", "host_dir1/file2", true]],
    envs: { key1: "val1" },
  },
  dev3: { devices: [], mounts: [], envs: { key2: "val2" } },
  dev4: { devices: [], mounts: [], envs: { key2: "val3" } },
};

export function answerOf(ids: readonly string[], answers = standard): AllocateResponse {
  const own = ids.flatMap((id) => answers[id] ?? []);
  return {
    ...nothing,
    envs: Object.assign({}, ...own.map(({ envs }) => envs)) as Record<string, string>,
    devices: own.flatMap(({ devices }) =>
      devices.map(([containerPath, hostPath, permissions]) => ({ containerPath, hostPath, permissions })),
    ),
    mounts: own.flatMap(({ mounts }) =>
      mounts.map(([containerPath, hostPath, readOnly]) => ({ containerPath, hostPath, readOnly })),
    ),
  };
}

const PER_DEVICE = "per_device_response (container path, host path, permissions | container, host, readonly)";

interface RawPod {
  readonly uid?: string;
  readonly limits: Limits;
}

interface Input {
  readonly resources?: Readonly<
    Record<string, { readonly healthy: readonly string[]; readonly numa: Readonly<Record<string, readonly number[]>> }>
  >;
  readonly [PER_DEVICE]?: Readonly<Record<string, RawAnswer>>;
  readonly pods?: readonly RawPod[];
  readonly then?: readonly string[];
  readonly limits?: Limits;
  readonly allocate_error?: string;
  readonly allocate_response?: { readonly container_responses: readonly unknown[] };
  readonly dra_request_mapping?: readonly (readonly [container: string, resource: string])[];
  readonly gate_DRAExtendedResource?: boolean;
  readonly registered?: boolean;
  readonly allocated_elsewhere?: readonly string[];
  readonly healthy?: readonly string[];
  readonly preferred?: readonly string[];
  readonly during_call?: string;
  readonly endpoint?: null | "stopped";
}

const keys = [
  "resources",
  PER_DEVICE,
  "pods",
  "then",
  "limits",
  "allocate_error",
  "allocate_response",
  "dra_request_mapping",
  "gate_DRAExtendedResource",
  "registered",
  "allocated_elsewhere",
  "healthy",
  "preferred",
  "during_call",
  "endpoint",
] as const;

export const adapter: Adapter<Input> = {
  async run(input) {
    knownKeys(input, keys);
    const world = worldOf();
    const manager = managerOf(world);
    provide(manager, world, input);
    const pods = input.pods ?? [{ limits: input.limits ?? { [RESOURCE]: 1 } }];
    const results = [];
    for (const [index, raw] of pods.entries()) results.push(await admit(manager, world, input, raw, `pod${index + 1}`));
    const [first] = results;
    const options = (input.then ?? []).flatMap((step) => perform(manager, world, step));
    return {
      pods: results,
      errors: results.map(({ error }) => error),
      error: first?.error,
      allocated: input.healthy === undefined ? first?.allocated : ids(manager),
      allocated_devices: ids(manager),
      options,
    };
  },
  part: (
    answer: { readonly error: string | null; readonly pods: readonly object[] },
    expected: { readonly error?: unknown; readonly pods?: readonly object[] },
  ) =>
    only(
      {
        ...answer,
        error: textFor(expected.error, answer.error),
        pods: answer.pods.map((pod, index) => only(pod, expected.pods?.[index] ?? {})),
      },
      expected,
    ),
};

function provide(manager: DeviceManager, world: World, input: Input): void {
  const { resources, registered = true, allocated_elsewhere, healthy = ["dev1"], endpoint } = input;
  if (allocated_elsewhere !== undefined) {
    hold(manager, "elsewhere", "c", RESOURCE, allocated_elsewhere);
    world.active.add("elsewhere");
  }
  if (!registered) return;
  const answers: Answers = {
    allocate(asked) {
      if (input.allocate_error !== undefined) throw new Error(input.allocate_error);
      return input.allocate_response === undefined ? answerOf(asked, input[PER_DEVICE]) : undefined;
    },
    preferred() {
      if (input.during_call === "gc removes another pod of the same resource") {
        world.active.delete("other");
        manager.collectGarbage();
      } else if (input.during_call !== undefined) throw new Error(`unknown event ${input.during_call}`);
      return input.preferred;
    },
  };
  const lists = resources ?? { [RESOURCE]: { healthy, numa: {} } };
  for (const [resource, { healthy: own, numa }] of Object.entries(lists)) {
    // `endpoint: null`: it goes between the selection and the call.
    if (endpoint !== null) manager.connected(resource, endpointOf(answers));
    manager.reported(resource, toDevices(Object.fromEntries(own.map((id) => [id, { numa: numa[id] ?? null }]))));
    if (endpoint === "stopped") manager.inventory.stopped(resource, 0);
  }
  if (input.during_call !== undefined) {
    hold(manager, "other", "c", RESOURCE, ["other-device"]);
    world.active.add("other");
  }
}

async function admit(manager: DeviceManager, world: World, input: Input, raw: RawPod, uid: string) {
  const pod = withClaims(
    podOf(raw.uid ?? uid, [{ name: "container1", limits: raw.limits }]),
    input.dra_request_mapping,
  );
  const [container] = pod.spec.containers as readonly Container[];
  if (container === undefined) throw new Error("no container");
  world.active.add(pod.metadata.uid);
  const error = await errorOf(() => manager.allocate(pod, container));
  const options = manager.runOptions(pod.metadata.uid, "container1");
  const counts =
    options === undefined
      ? {}
      : { devices: options.devices.length, mounts: options.mounts.length, envs: options.envs.length };
  const allocated = Object.fromEntries(
    Object.keys(input.resources ?? {}).map((resource) => [resource, manager.records.inUse(resource).size]),
  );
  return { error, options: options ?? null, ...counts, allocated: pick(allocated, input) };
}

/** Cases about one pod speak of its own resource. */
function pick(allocated: Readonly<Record<string, number>>, { limits }: Input): Readonly<Record<string, number>> {
  return limits === undefined ? allocated : (only(allocated, limits) as Readonly<Record<string, number>>);
}

function withClaims(pod: Pod, mappings: Input["dra_request_mapping"]): Pod {
  if (mappings === undefined) return pod;
  const requestMappings = mappings.map(([containerName, resourceName]) => ({ containerName, resourceName }));
  return { ...pod, status: { extendedResourceClaimStatus: { requestMappings } } as Pod["status"] } as Pod;
}

function perform(manager: DeviceManager, world: World, step: string): readonly (object | null)[] {
  const uid = /^options (\S+)$/.exec(step)?.[1];
  const active = /^active := \[(.*)\]$/.exec(step)?.[1];
  if (uid !== undefined) {
    const options = manager.runOptions(uid, "container1");
    if (options === undefined) return [null];
    return [{ devices: options.devices.length, mounts: options.mounts.length, envs: options.envs.length }];
  }
  if (active !== undefined) world.active = new Set(active.split(",").map((one) => one.trim()));
  else if (step === "gc") manager.collectGarbage();
  else throw new Error(`unknown step: ${step}`);
  return [];
}

function ids(manager: DeviceManager): readonly string[] {
  return [...manager.records.all()].flatMap(({ devices }) => [...devices.values()].flat());
}
