import type { PluginOptions } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import { answerOf } from "./device-allocate.js";
import {
  type Answers,
  errorOf,
  hold,
  knownKeys,
  type Limits,
  managerOf,
  only,
  plug,
  podOf,
  sorted,
  toDevice,
  worldOf,
} from "./devices.js";

const RESOURCE = "domain1.com/resource1";

interface Input {
  /** Null: not known. */
  readonly options?: { readonly pre_start_required: boolean } | null;
  readonly healthy?: readonly string[];
  readonly limits?: Limits;
  /** Null: none is there. */
  readonly endpoint?: null;
  /** Null: nothing is recorded. */
  readonly cached?: null;
  readonly pod_active?: boolean;
  readonly pod?: string;
  readonly container?: string;
  readonly rpc_error?: string;
}

export const adapter: Adapter<Input> = {
  keys: ["options", "healthy", "limits", "endpoint", "cached", "pod_active", "pod", "container", "rpc_error"],
  async run(input) {
    const { options = { pre_start_required: true }, healthy = ["dev1", "dev2"], endpoint, cached, rpc_error } = input;
    const {
      limits = { [RESOURCE]: 1 },
      pod_active = true,
      pod: uid = "pod1",
      container: name = "container1",
      ...rest
    } = input;
    knownKeys(rest, ["options", "healthy", "endpoint", "cached", "rpc_error"]);
    const world = worldOf({ active: pod_active ? new Set([uid]) : new Set() });
    const manager = managerOf(world);
    let prepared: readonly string[] | undefined;
    let allocated = false;
    const said: PluginOptions | undefined =
      options === null
        ? undefined
        : { preStartRequired: options.pre_start_required, getPreferredAllocationAvailable: false };
    const answers: Answers = {
      options: said,
      allocate(ids) {
        allocated = true;
        return answerOf(ids);
      },
      preStart(ids) {
        prepared = ids;
        if (rpc_error !== undefined) throw new Error(rpc_error);
      },
    };
    const devices = healthy.map((id) => toDevice({ id }));
    if (endpoint === null) manager.inventory.reported(RESOURCE, devices);
    else plug(manager, RESOURCE, devices, answers);
    const pod = podOf(uid, [{ name, limits }]);
    const [container] = pod.spec.containers;
    if (container === undefined) throw new Error("no container");
    if (cached !== null && endpoint !== null) {
      await manager.allocate(pod, container);
      allocated = false;
    }
    if (endpoint === null) hold(manager, uid, name, RESOURCE, ["dev1"]);
    let found: Awaited<ReturnType<typeof manager.prepare>>;
    const error = await errorOf(async () => {
      found = await manager.prepare(pod, container);
    });
    return {
      error,
      called: prepared !== undefined,
      pre_start_devices: sorted(prepared ?? []),
      allocate_called: allocated,
      options_returned: { devices: found?.devices.length, mounts: found?.mounts.length, envs: found?.envs.length },
    };
  },
  part: only,
};
