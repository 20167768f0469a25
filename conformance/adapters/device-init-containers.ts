import { deviceIds, ReusableDevices } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import { errorOf, knownKeys, type Limits, managerOf, plug, podOf, sorted, toDevice, worldOf } from "./devices.js";

interface Input {
  readonly devices?: Readonly<Record<string, readonly string[]>>;
  /** Limits by resource, and perhaps `restartPolicy` among them. */
  readonly init?: readonly (Limits & { readonly restartPolicy?: string })[];
  readonly containers?: readonly Limits[];
  readonly pods?: readonly string[];
}

interface Answer {
  readonly error?: string | null;
  readonly sizes?: Readonly<Record<"init" | "containers", readonly number[]>>;
  readonly ids?: Readonly<Record<string, readonly string[]>>;
  readonly reuse_keys_after_b?: readonly string[];
}

interface Expected extends Answer {
  /** In words: `init1 superset of init0`, `container0 and container1 disjoint`. */
  readonly relations?: readonly string[];
}

/** Sizes and relations are about the resource that all containers ask for. */
const SHARED = "domain1.com/resource1";

export const adapter: Adapter<Input> = {
  keys: ["devices", "init", "containers", "pods"],
  async run({ devices, init = [], containers = [], pods, ...rest }): Promise<Answer> {
    knownKeys(rest, []);
    if (pods !== undefined) return { reuse_keys_after_b: reuseAfter(pods) };
    const manager = managerOf(worldOf());
    for (const [resource, ids] of Object.entries(devices ?? {}))
      plug(
        manager,
        resource,
        ids.map((id) => toDevice({ id })),
      );
    const named = (all: NonNullable<Input["init"]>, name: string) =>
      all.map(({ restartPolicy, ...limits }, index) => ({
        name: `${name}${index}`,
        limits,
        ...(restartPolicy === undefined ? {} : { restartPolicy }),
      }));
    const pod = podOf("pod", named(containers, "container"), named(init, "init"));
    const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
    const error = await errorOf(async () => {
      for (const container of all) await manager.allocate(pod, container);
    });
    const ids = Object.fromEntries(
      all.map(({ name }) => {
        const record = manager.records.get("pod", name, SHARED);
        return [name, record === undefined ? [] : deviceIds(record.devices)];
      }),
    );
    const sizes = (name: string, count: number) =>
      Array.from({ length: count }, (_, i) => ids[`${name}${i}`]?.length ?? 0);
    return {
      error,
      ids,
      sizes: { init: sizes("init", init.length), containers: sizes("container", containers.length) },
    };
  },
  part: ({ ids, ...answer }: Answer, { relations }: Expected) => ({
    ...answer,
    ...(relations === undefined ? {} : { relations: relations.filter((text) => holds(text, ids ?? {})) }),
  }),
};

function reuseAfter(pods: readonly string[]): readonly string[] {
  const reusable = new ReusableDevices();
  for (const pod of pods) {
    reusable.begin(pod);
    reusable.add(SHARED, [pod]);
  }
  return sorted(reusable.podUids);
}

function holds(text: string, ids: Readonly<Record<string, readonly string[]>>): boolean {
  const pairwise = /^(\S+(?:, \S+)+) pairwise disjoint$/.exec(text)?.[1]?.split(", ");
  if (pairwise !== undefined) {
    return pairwise.every((a, index) => pairwise.slice(index + 1).every((b) => holds(`${a} and ${b} disjoint`, ids)));
  }
  const superset = /^(\S+) superset of (\S+)$/.exec(text);
  const disjoint = /^(\S+) and (\S+) disjoint$/.exec(text);
  const [, a = "", b = ""] = superset ?? disjoint ?? [];
  const [first, second] = [ids[a], ids[b]];
  if (first === undefined || second === undefined) throw new Error(`unknown relation: ${text}`);
  return superset === null ? second.every((id) => !first.includes(id)) : second.every((id) => first.includes(id));
}
