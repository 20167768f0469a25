/** The plugin: taps, and what ties the parts together. */
import { type NodePlugin, strategyName } from "@hooklet/core";
import { planDevices } from "./dry-run.js";
import { devicesIo } from "./io.js";
import { createMetrics } from "./metrics.js";
import { type DevicesOptions, foldersOf, options } from "./options.js";
import { DeviceService } from "./service.js";
import type { AllocationStrategy } from "./strategies/allocation.js";
import { allocationStrategies } from "./strategies/built-in.js";
import { devicesView, explainDevice, explainPod } from "./view.js";

/** Seconds: an allocation may call several plugins, each up to 30 s. */
const ADMIT_DEADLINE = 300;
const START_DEADLINE = 120;
/** Seconds, as the kubelet's node status and its plugin manager. */
const REFRESH = 10;
const LOOK = 1;

export const plugin: NodePlugin<DevicesOptions, { readonly allocation: AllocationStrategy }> = {
  meta: { name: "@hooklet/plugin-devices", api: 1, description: "Device plugins and their devices" },
  options,
  strategies: { allocation: allocationStrategies },

  start(ctx, given, { allocation }) {
    const metrics = createMetrics(ctx.metrics);
    const folders = foldersOf(ctx.node.rootDir, given);
    const strategy = { use: allocation, name: strategyName(allocation) ?? "kubelet" };
    const service = new DeviceService(ctx, given, strategy, metrics, folders, ctx.world.get(devicesIo)(ctx.clock));
    const { manager, servers } = service;

    ctx.hooks.podAdmit.tap({ name: "allocate", deadlineSeconds: ADMIT_DEADLINE }, (verdict, event) =>
      service.admit(verdict, event),
    );
    ctx.hooks.podAdmit.tap({ name: "admitted", stage: "validate" }, (_, event) => service.admitted(event));
    ctx.hooks.containerStart.tap({ deadlineSeconds: START_DEADLINE }, (plan, event) => service.start(plan, event));
    ctx.hooks.tick(REFRESH).tap({ name: "refresh" }, () => service.refresh());
    ctx.hooks.tick(LOOK).tap({ name: "look" }, () => servers.look());
    const unwatch = ctx.pods.watch((uid, pod) => service.podChanged(uid, pod));

    return {
      open: (observed) => service.open(observed),
      views: { devices: devicesView(() => manager, ctx.pods) },
      plan: (input) =>
        planDevices(input, manager, service.ports, service.topology, strategy.name, {
          at: ctx.clock.now(),
          plugin: ctx.plugin,
        }),
      async explain(kind, name) {
        const say = kind === "device" ? explainDevice : kind === "pod" ? explainPod : undefined;
        return say?.(manager, ctx.pods, ctx.plugin, ctx.clock.now(), name) ?? [];
      },
      health: () => servers.health(),
      stop() {
        unwatch();
        return service.stop();
      },
    };
  },
};
