/** The plugin: taps, and what ties the parts together. */
import { type NodeContext, type NodePlugin, strategyName } from "@hooklet/core";
import { foldersOf } from "./folders.js";
import { type DevicesIo, realIo } from "./io.js";
import { createMetrics } from "./metrics.js";
import { type DevicesOptions, options } from "./options.js";
import { planDevices } from "./plan.js";
import { DeviceService } from "./service.js";
import { type SimulatedDevicePlugins, simulatedIo } from "./simulated-io.js";
import { allocationStrategies } from "./strategies/table.js";
import { devicesView, explainDevice, explainPod } from "./view.js";

/** Seconds: an allocation may call several plugins, each up to 30 s. */
const ADMIT_DEADLINE = 300;
const START_DEADLINE = 120;
/** Seconds, as the kubelet's node status and its plugin manager. */
const REFRESH = 10;
const LOOK = 1;

/** `io`: in place of real sockets and files, for tests and simulations. */
export function createDevicesPlugin(
  io: (ctx: NodeContext) => DevicesIo = ({ clock }) => realIo(clock),
): NodePlugin<DevicesOptions> {
  return {
    simulated: (world) => {
      const devicePlugins = world.part("devicePlugins") as SimulatedDevicePlugins;
      return createDevicesPlugin(({ clock }) => simulatedIo(realIo(clock), devicePlugins));
    },
    meta: { name: "@hooklet/plugin-devices", api: 1, description: "Device plugins and their devices" },
    options: options as NodePlugin<DevicesOptions>["options"],
    strategies: { allocation: allocationStrategies },

    start(ctx, given) {
      const metrics = createMetrics(ctx.metrics);
      const folders = foldersOf(ctx.node.rootDir, given);
      const service = new DeviceService(ctx, given, metrics, folders, io(ctx));
      const { manager, servers } = service;
      const strategy = strategyName(given.allocation) ?? "kubelet";

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
          planDevices(input, manager, service.ports, service.topology, strategy, {
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
}

export const plugin = createDevicesPlugin();
