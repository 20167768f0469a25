/** Pods, machines and a cgroup manager for the tests of this package. */
import { definePlugin, type NodePlugin, type Pod } from "@hooklet/core";
import { cgroupBelow, qosClass, readCgroupLayout } from "@hooklet/core/rules";
import { SimulatedHost, VirtualClock } from "@hooklet/testkit";

export const MIB = 1024 ** 2;
export const CLASSES = {
  Guaranteed: "/kubepods",
  Burstable: "/kubepods/burstable",
  BestEffort: "/kubepods/besteffort",
} as const;

/** A pod with one container. */
export function aPod(name: string): Pod {
  return {
    metadata: { name, namespace: "default", uid: `uid-${name}` },
    spec: { containers: [{ name: "main", image: "app:1", resources: {} }] },
  } as Pod;
}

export function aMachine(version: "v1" | "v2", clock = new VirtualClock()) {
  const host = new SimulatedHost({ clock, cgroups: version });
  const { kernel } = host;
  const layout = readCgroupLayout(kernel.read("/proc/self/mountinfo") ?? "");
  if (layout === undefined) throw new Error("a simulated machine without cgroups");
  const addCgroup = (path: string): void => {
    for (const hierarchy of layout.hierarchies) kernel.addFolder(cgroupBelow(hierarchy, path));
  };
  return { host, kernel, layout, clock, addCgroup };
}

/** Keeps the cgroups of pods as the kubelet lays them out below /kubepods; the runtime's are beside the test. */
export const keeper: NodePlugin<Record<string, never>> = definePlugin({
  meta: { name: "keeper", api: 1 },
  start(ctx) {
    const layout = readCgroupLayout(ctx.host.kernel.read("/proc/self/mountinfo") ?? "");
    const make = (path: string): void => {
      for (const one of layout?.hierarchies ?? []) ctx.host.kernel.makeDirectory(cgroupBelow(one, path));
    };
    const pod = (one: Pod): string => `${CLASSES[qosClass(one)]}/pod${one.metadata.uid}`;
    for (const path of Object.values(CLASSES)) make(path);
    ctx.node.provideCgroups(() => ({ all: "/kubepods", classes: CLASSES, pod, container: (id) => id }));
    ctx.hooks.podAdmit.tap((verdict, { pod: admitted }) => verdict.beforeSandbox(async () => make(pod(admitted))));
  },
});
