/** The plugin: taps, offers, and what ties the parts together. */
import { definePlugin, errorText, NodeAgentError, type NodeContext, type PlanInput, strategyName } from "@hooklet/core";
import { ContainerCollector } from "./containers/collector.js";
import { FirstRound } from "./first-round.js";
import { ImageCollector } from "./images/collector.js";
import { memoryJson, readMemory } from "./images/memory.js";
import { type ImagePolicy, imageLoopRuns } from "./images/policy.js";
import { CONTAINER_GC_PERIOD, IMAGE_GC_PERIOD } from "./loop.js";
import { nodeContainers } from "./node-containers.js";
import { nodeImages, runtimeName } from "./node-images.js";
import { containerPolicyOf, type ImagegcOptions, imagePolicyOf, options } from "./options.js";
import { orderStrategies } from "./order/table.js";
import { Rounds } from "./rounds.js";
import { SteadyTime } from "./steady-time.js";
import { explainImage, overlap, planDecision } from "./tell.js";
import { imagesView } from "./view.js";

/** Seconds that a round may take: as many images as there are, each with a slow disk. */
const DEADLINE = 3600;

/** Image and container garbage collection as the kubelet does it (pkg/kubelet/images, kuberuntime_gc.go). */
export const plugin = definePlugin<ImagegcOptions>({
  meta: {
    name: "@hooklet/plugin-imagegc",
    api: 1,
    description: "Removes unused images, dead containers, empty sandboxes and logs of pods that are gone",
  },
  options: options as NonNullable<Parameters<typeof definePlugin<ImagegcOptions>>[0]["options"]>,
  strategies: { order: orderStrategies },
  start(ctx, { order, ...given }) {
    if (order === undefined) throw new Error("option order is missing: start the plugin through its loader");
    const strategy = strategyName(order) ?? "custom";
    const policy = imagePolicyOf(given);
    const time = new SteadyTime(ctx.clock);
    const removedTotal = ctx.metrics.counter({
      name: "kubelet_image_garbage_collected_total",
      help: "Total number of images garbage collected by the kubelet, whether through disk usage or image age.",
      labels: ["reason"],
    });
    const images = new ImageCollector({
      ports: nodeImages({
        ...ctx,
        time,
        removed: (_, reason) => removedTotal.inc({ reason }),
        orderFault: (fault) => tellOrderFault(ctx, strategy, fault),
      }),
      policy,
      order,
      initialDetection: given.initialDetection,
      signal: ctx.signal,
    });
    const containers = new ContainerCollector(nodeContainers(ctx), containerPolicyOf(given));
    const checkpoint = ctx.checkpoint("images");
    const keep = async (): Promise<void> => {
      const moment = { now: time.now(), wall: ctx.clock.now() };
      await checkpoint.write(memoryJson(images.began, images.records, moment)).catch((error: unknown) => {
        ctx.log.warn(
          `could not keep when images were last used: ${errorText(error)}; after a restart some count as unused`,
        );
      });
    };
    const rounds = new Rounds({ ctx, images, containers, strategy, looked: keep });
    const collects = imageLoopRuns(policy);
    const imageRound = (): Promise<void> =>
      collects && ctx.pods.sourcesReady() ? rounds.images() : rounds.detection();

    const first = new FirstRound(
      ctx.clock,
      () => ctx.pods.sourcesReady(),
      async () => {
        await rounds.deadContainers(ctx.signal);
        await imageRound();
      },
    );

    ctx.hooks.containerStart.tap((_, { container }) => images.touch(runtimeName(container.image ?? "")));
    ctx.hooks
      .tick(CONTAINER_GC_PERIOD)
      .tap({ name: "containers", deadlineSeconds: DEADLINE }, ({ signal }) => rounds.deadContainers(signal));
    ctx.hooks.tick(IMAGE_GC_PERIOD).tap({ name: "images", deadlineSeconds: DEADLINE }, imageRound);
    ctx.node.offerReclaim({
      name: "dead containers",
      frees: "container",
      order: 0,
      reclaim: (signal) => rounds.reclaimContainers(signal),
    });
    ctx.node.offerReclaim({ name: "unused images", frees: "image", order: 10, reclaim: () => rounds.reclaimImages() });

    return {
      async open() {
        const moment = { now: time.now(), wall: ctx.clock.now() };
        try {
          const memory = readMemory(await checkpoint.read(), moment);
          if (memory !== undefined) images.remember(memory);
        } catch (error) {
          ctx.log.warn(`what was remembered of images cannot be used: ${errorText(error)}; all of them count as new`);
        }
        first.begin();
      },
      views: { images: imagesView(images, time, ctx.clock) },
      async plan(input) {
        const report = await images.plan(thresholdsOf(input));
        const { image } = await ctx.runtime.fileSystems();
        const told = planDecision(report, strategy);
        const note = overlap(images.records.values(), image.usedBytes);
        const outcome = note === undefined ? told.outcome : `${told.outcome}; ${note}`;
        return [{ at: ctx.clock.now(), plugin: ctx.plugin, ...told, outcome }];
      },
      async explain(kind, name) {
        if (kind !== "image") return [];
        const told = explainImage(await images.plan(), strategy, name);
        return told === undefined ? [] : [{ at: ctx.clock.now(), plugin: ctx.plugin, ...told }];
      },
      health: () => rounds.health(),
      async stop() {
        first.stop();
        if (images.records.size > 0) await keep();
      },
    };
  },
});

function tellOrderFault({ events, log }: Pick<NodeContext, "events" | "log">, strategy: string, fault: string): void {
  const message = `image gc: the answer of order strategy "${strategy}" is not used: ${fault}; images go in the kubelet's order.`;
  log.error(message);
  events.node("Warning", "ImageOrderInvalid", message);
}

/** `--until PERCENT`: both thresholds. */
function thresholdsOf({ arguments: given }: PlanInput): Partial<ImagePolicy> {
  const unknown = Object.keys(given).find((name) => name !== "until");
  if (unknown !== undefined) {
    throw new NodeAgentError("INVALID", `plan imagegc: expected --until PERCENT or nothing, found --${unknown}.`);
  }
  if (given.until === undefined) return {};
  const percent = Number(given.until);
  if (!/^\d{1,3}$/.test(given.until) || percent > 100) {
    throw new NodeAgentError(
      "INVALID",
      `plan imagegc: expected --until from 0 to 100, found ${JSON.stringify(given.until)}.`,
    );
  }
  return { highThresholdPercent: percent, lowThresholdPercent: percent };
}
