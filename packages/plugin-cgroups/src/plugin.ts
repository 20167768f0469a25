/** The plugin: taps, and what ties the parts together. */
import {
  type ContainerPlan,
  definePlugin,
  errorText,
  type LinuxContainerResources,
  type NodePlugin,
  strategyName,
} from "@hooklet/core";
import { explained, planned } from "./dry-run.js";
import { createMetrics } from "./metrics.js";
import { type CgroupOptions, options } from "./options.js";
import { podPath } from "./plan/pod-plan.js";
import { Resizer } from "./resize/resizer.js";
import { sandboxResources } from "./rules/sandbox.js";
import { CgroupService } from "./service.js";
import { statisticsOf } from "./statistics.js";
import { cgroupsView } from "./view.js";
import { checkWeights, weightsStrategies } from "./weights.js";

const RECONCILE_SECONDS = 60;
/** As the kubelet tries deferred resizes again. */
const RESIZE_SECONDS = 10;

/** QoS, pod and container cgroups as the kubelet sets them (pkg/kubelet/cm). */
export const plugin = definePlugin<CgroupOptions>({
  meta: { name: "@hooklet/plugin-cgroups", api: 1, description: "Pod and container cgroups, OOM scores, statistics" },
  options: options as NonNullable<NodePlugin<CgroupOptions>["options"]>,
  strategies: { weights: weightsStrategies },

  start(ctx, given) {
    const { weights } = given;
    if (weights === undefined) throw new Error("option weights is missing: start the plugin through its loader");
    const name = strategyName(weights) ?? "custom";
    checkWeights(weights, name);
    const metrics = createMetrics(ctx.metrics);
    const service = new CgroupService({
      ctx,
      options: given,
      weights: { strategy: weights, name },
      took: metrics.took,
    });

    const statistics = statisticsOf(ctx, service, given, metrics);

    ctx.hooks.podAdmit.tap((verdict, { pod }) => {
      try {
        podPath(pod, service.rules);
      } catch (error) {
        return verdict.reject({ reason: "InvalidPodUid", message: errorText(error) });
      }
      verdict.beforeSandbox(async (sandbox) => {
        const path = await service.beforeSandbox(pod);
        if (path !== undefined) sandbox.setCgroupParent(path);
        const { resources, overhead } = sandboxResources(pod, service.rules.container);
        sandbox.setResources(resources);
        if (overhead !== undefined) sandbox.setOverhead(overhead);
      });
    });

    ctx.hooks.containerStart.tap((plan, { pod, container }) => setAll(plan, service.resourcesOf(pod, container)));

    const resizer = new Resizer(ctx, service);
    ctx.pods.onUpdate((before, after) => resizer.applies(before, after));
    ctx.hooks.tick(RESIZE_SECONDS).tap(() => resizer.retry());

    ctx.hooks.podTerminate.tap((event) => {
      resizer.forget(event.pod.metadata.uid);
      event.afterStop(() => service.removePod(event.pod));
    });

    ctx.hooks.tick(RECONCILE_SECONDS).tap(({ signal }) => service.reconcile(signal));

    return {
      async open(observed) {
        await service.begin(observed);
        metrics.version(service.rules.version);
        statistics.open();
      },
      views: { cgroups: cgroupsView(service, ctx.clock) },
      plan: async (input) => planned(ctx, service.rules, input),
      explain: async (kind, name) => explained(ctx, service, kind, name),
      health() {
        const { open } = service;
        if (open === undefined) return { ok: true, message: `not kept: ${service.why}` };
        const refused = open.manager.refusals().length;
        const files = refused === 0 ? "" : `, ${refused} values that the kernel refuses (get cgroups)`;
        return { ok: true, message: `${service.rules.version}, ${open.manager.pods().length} pods${files}` };
      },
      async stop() {
        statistics.close();
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
