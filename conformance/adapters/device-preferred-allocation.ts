import type { Question } from "@hooklet/plugin-devices";
import { deviceIds, preferredRequest } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import {
  type Answers,
  errorOf,
  hold,
  knownKeys,
  managerOf,
  only,
  plug,
  podOf,
  type RawDevice,
  sorted,
  toDevice,
  toDevices,
  worldOf,
} from "./devices.js";

interface Input {
  readonly resource?: string;
  readonly request?: number;
  readonly devices?: Readonly<Record<string, Omit<RawDevice, "id">>>;
  readonly allocated?: readonly string[];
  readonly reusable?: readonly string[];
  readonly affinity?: readonly number[];
  readonly options?: { readonly get_preferred_allocation_available: boolean };
  readonly rpc_error?: string;
  readonly reply?: { readonly container_responses: readonly { readonly deviceIDs: readonly string[] }[] };
  /** Ids on the chosen node, the only devices there are. */
  readonly aligned?: readonly string[];
  /** The bare message. */
  readonly available?: readonly string[];
  readonly must_include?: readonly string[];
  readonly size?: number;
}

const known = [
  "resource",
  "request",
  "devices",
  "allocated",
  "reusable",
  "affinity",
  "options",
  "rpc_error",
  "reply",
  "aligned",
];

export const adapter: Adapter<Input> = {
  keys: [
    "affinity",
    "allocated",
    "devices",
    "request",
    "resource",
    "reusable",
    "options",
    "rpc_error",
    "reply",
    "available",
    "must_include",
    "size",
    "aligned",
  ],
  async run(input) {
    if (input.available !== undefined) {
      const { available, must_include = [], size = 0, ...rest } = input;
      knownKeys(rest, []);
      const { containerRequests } = preferredRequest({ available, mustInclude: must_include, size });
      return {
        container_requests: containerRequests.map((one) => ({
          available_deviceIDs: one.availableDeviceIDs,
          must_include_deviceIDs: one.mustIncludeDeviceIDs,
          allocation_size: one.allocationSize,
        })),
      };
    }
    knownKeys(input, known);
    return await allocate(input);
  },
  expected: (expected: { readonly available?: readonly string[]; readonly must_include?: readonly string[] }) => ({
    ...expected,
    ...(expected.available === undefined ? {} : { available: sorted(expected.available) }),
    ...(expected.must_include === undefined ? {} : { must_include: sorted(expected.must_include) }),
  }),
  part: only,
};

async function allocate(input: Input): Promise<object> {
  const { resource = "resource", request = 1, affinity = [0], options, rpc_error, reply } = input;
  const manager = managerOf(worldOf({ active: new Set(["other"]) }));
  let question: Question | undefined;
  const answers: Answers = {
    options: {
      preStartRequired: false,
      getPreferredAllocationAvailable: options?.get_preferred_allocation_available ?? true,
    },
    preferred(asked) {
      question = asked;
      if (rpc_error !== undefined) throw new Error(rpc_error);
      return reply?.container_responses[0]?.deviceIDs;
    },
  };
  const spare = ["x0", "x1", "x2"].map((id) => toDevice({ id, numa: 0 }));
  const devices =
    input.devices === undefined
      ? (input.aligned?.map((id) => toDevice({ id, numa: 0 })) ?? spare)
      : toDevices(input.devices);
  plug(manager, resource, devices, answers);
  const { reusable = [], allocated = [] } = input;
  const others = allocated.filter((id) => !reusable.includes(id));
  if (others.length > 0) hold(manager, "other", "c", resource, others);
  if (reusable.length > 0) hold(manager, "pod", "init", resource, reusable);
  manager.reusable.begin("pod");
  manager.reusable.add(resource, reusable);
  const pod = podOf("pod", [{ name: "c", limits: { [resource]: request } }]);
  const [container] = pod.spec.containers;
  if (container === undefined) throw new Error("no container");
  manager.setAffinity("pod", "c", affinity);
  const error = await errorOf(() => manager.allocate(pod, container));
  const record = manager.records.get("pod", "c", resource);
  return {
    available: sorted(question?.available ?? []),
    must_include: sorted(question?.mustInclude ?? []),
    size: question?.size,
    called: question !== undefined,
    allocated: record === undefined ? null : deviceIds(record.devices),
    error,
    fallback: record !== undefined,
  };
}
