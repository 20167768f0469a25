/** The plugin: taps, and what ties the parts together. */
import {
  allContainers,
  type ContainerPlan,
  definePlugin,
  errorText,
  type Metrics,
  type NodePlugin,
  strategyName,
} from "@hooklet/core";
import type { CgroupVersion } from "@hooklet/core/rules";
import type { LinuxContainerResources } from "@hooklet/core/subsystem";
import { CpuManager } from "./cpu/cpu-manager.js";
import { createCpuMetrics } from "./cpu/metrics.js";
import { cpusView } from "./cpu/view.js";
import { explained, planned } from "./dry-run.js";
import { type CgroupOptions, options } from "./options.js";
import { podPath } from "./plan/pod-plan.js";
import type { WeightsStrategy } from "./plan/setting.js";
import { MemoryHighController } from "./pressure/memory-high.js";
import { Resizer } from "./resize/resizer.js";
import { burstFault } from "./rules/container.js";
import { sandboxResources } from "./rules/pod.js";
import { CgroupService } from "./service.js";
import { cgroupsView } from "./view.js";
import { checkWeights, weightsStrategies } from "./weights.js";

const RECONCILE_SECONDS = 60;
/** The kernel averages pressure over so long. */
const PRESSURE_SECONDS = 10;
/** As the kubelet tries deferred resizes again. */
const RESIZE_SECONDS = 10;

/** QoS, pod and container cgroups as the kubelet sets them (pkg/kubelet/cm). */
export const plugin: NodePlugin<CgroupOptions, { readonly weights: WeightsStrategy }> = definePlugin({
  meta: { name: "@hooklet/plugin-cgroups", api: 1, description: "Pod and container cgroups, OOM scores" },
  options,
  strategies: { weights: weightsStrategies },

  start(ctx, given, { weights }) {
    const name = strategyName(weights) ?? "custom";
    checkWeights(weights, name);
    const metrics = createMetrics(ctx.metrics);
    const cpuMetrics = createCpuMetrics(ctx.metrics);
    const cpus = given.cpuManagerPolicy === "static" ? new CpuManager(ctx, given, cpuMetrics) : undefined;
    const service = new CgroupService({
      ctx,
      options: given,
      cpus,
      weights: { strategy: weights, name },
      took: metrics.took,
    });

    ctx.node.provideCgroups(() => service.podCgroups);

    if (cpus !== undefined) {
      ctx.node.offerHints(cpus);
      ctx.hooks.podAdmit.tap({ name: "cpus" }, (verdict, event) => cpus.admit(verdict, event));
      ctx.hooks.containerStart.tap({ name: "cpus" }, (plan, event) => cpus.start(plan, event));
      ctx.hooks.tick(given.cpuManagerReconcilePeriod).tap({ name: "cpus" }, ({ signal }) => cpus.reconcile(signal));
    }

    const resizer = new Resizer(ctx, service, { staticCpus: cpus !== undefined });
    ctx.hooks.podAdmit.tap((verdict, { pod, running }) => {
      try {
        podPath(pod, service.rules);
      } catch (error) {
        return verdict.reject({ reason: "InvalidPodUid", message: errorText(error) });
      }
      const fault = given.burst && running.length === 0 ? burstFault(pod) : undefined;
      if (fault !== undefined) return verdict.reject({ reason: "InvalidAnnotation", message: fault });
      if (running.length > 0) resizer.adopt(pod);
      verdict.beforeSandbox(async (sandbox) => {
        const applied = resizer.applied(pod);
        const path = await service.beforeSandbox(applied);
        if (path !== undefined) sandbox.setCgroupParent(path);
        const { resources, overhead } = sandboxResources(applied, service.rules.container);
        sandbox.setResources(resources);
        if (overhead !== undefined) sandbox.setOverhead(overhead);
      });
    });

    ctx.hooks.containerStart.tap((plan, { pod, container }) => {
      const applied = resizer.applied(pod);
      setAll(
        plan,
        service.resourcesOf(applied, allContainers(applied).find(({ name }) => name === container.name) ?? container),
      );
      plan.afterStart(({ containerId }) => service.open?.reconciler.started(applied, container.name, containerId));
    });

    ctx.pods.onUpdate((before, after) => resizer.applies(before, after));
    ctx.hooks.tick(RESIZE_SECONDS).tap(() => resizer.retry());

    ctx.hooks.podTerminate.tap((event) => {
      resizer.forget(event.pod.metadata.uid);
      event.afterStop(async () => {
        await service.removePod(event.pod);
        await cpus?.free(event.pod.metadata.uid);
      });
    });

    const pressure = new MemoryHighController(ctx, service, given.memoryHighPressure);
    if (given.memoryHighPressure !== null) {
      ctx.hooks.tick(PRESSURE_SECONDS).tap({ name: "pressure" }, () => pressure.look());
    }

    ctx.hooks.tick(RECONCILE_SECONDS).tap(({ signal }) => service.reconcile(signal, (pod) => resizer.applied(pod)));

    return {
      async open(observed) {
        await cpus?.open(observed);
        await resizer.open();
        await service.begin(observed);
        pressure.open();
        metrics.version(service.rules.version);
      },
      views: { cgroups: cgroupsView(service, ctx.clock), cpus: cpusView(cpus, ctx.pods) },
      plan: async (input) => planned(ctx, { rules: service.rules, cpus }, input),
      explain: async (kind, name) => explained(ctx, service, kind, name, (pod) => resizer.applied(pod)),
      health() {
        const { open } = service;
        if (open === undefined) return { ok: true, message: `not kept: ${service.why}` };
        const refused = open.manager.refusals().length;
        const files = refused === 0 ? "" : `, ${refused} values that the kernel refuses (get cgroups)`;
        const where = service.delegated === undefined ? "" : `, ${service.delegated}`;
        return { ok: true, message: `${service.rules.version}, ${open.manager.pods().length} pods${files}${where}` };
      },
      async stop() {
        pressure.close();
        await resizer.close();
        await service.stop();
      },
    };
  },
});

/** Zeros say nothing in CRI. */
function setAll(plan: ContainerPlan, resources: LinuxContainerResources): void {
  const { unified = {}, hugepageLimits, oomScoreAdj, ...amounts } = resources;
  for (const [name, value] of Object.entries(amounts) as [keyof typeof amounts, never][]) {
    if (value !== 0) plan.setResource(name, value);
  }
  if (oomScoreAdj !== undefined) plan.setResource("oomScoreAdj", oomScoreAdj);
  if (hugepageLimits !== undefined && hugepageLimits.length > 0) plan.setResource("hugepageLimits", hugepageLimits);
  for (const [file, value] of Object.entries(unified)) plan.setUnified(file, value);
}

/** The kubelet's own metrics of cgroups. */
function createMetrics(metrics: Metrics) {
  const duration = metrics.histogram({
    name: "kubelet_cgroup_manager_duration_seconds",
    help: "Duration in seconds for cgroup manager operations. Broken down by method.",
    labels: ["operation_type"],
  });
  const version = metrics.gauge({ name: "kubelet_cgroup_version", help: "cgroup version on the hosts." });
  return {
    took: (operation: string, seconds: number) => duration.observe(seconds, { operation_type: operation }),
    version: (found: CgroupVersion) => version.set(found === "v1" ? 1 : 2),
  };
}
