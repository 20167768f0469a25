/** The plugin: taps, offers, and what ties the parts together. */
import {
  type Clock,
  definePlugin,
  NodeAgentError,
  type NodeContext,
  type PlanInput,
  strategyName,
  type Timer,
} from "@hooklet/core";
import { ContainerCollector } from "./container-collector.js";
import { cleaningDecision, explainImage, overlap, planDecision } from "./gc-decisions.js";
import { ImageCollector } from "./image-collector.js";
import { orderStrategies } from "./image-order.js";
import { type ImagePolicy, imageLoopRuns } from "./images/image-policy.js";
import { nodeContainers } from "./node-containers.js";
import { nodeImages, runtimeName } from "./node-images.js";
import { containerPolicyOf, imagePolicyOf, options } from "./options.js";
import { findOrphans, nodeDirectories } from "./orphaned-pod-directories.js";
import { CONTAINER_GC_PERIOD, IMAGE_GC_PERIOD, Rounds, type RoundsParts } from "./rounds.js";
import { keepMemory, restoreMemory, SteadyTime } from "./saved-usage.js";
import { imagesView } from "./view.js";

/** Seconds that a round may take: as many images as there are, each with a slow disk. */
const DEADLINE = 3600;

/** Image and container garbage collection as the kubelet does it (pkg/kubelet/images, kuberuntime_gc.go). */
export const plugin = definePlugin({
  meta: {
    name: "@hooklet/plugin-imagegc",
    api: 1,
    description: "Removes unused images, dead containers, empty sandboxes and logs of pods that are gone",
  },
  options,
  strategies: { order: orderStrategies },
  start(ctx, given, { order }) {
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
      signal: ctx.signal,
    });
    const node = nodeContainers(ctx);
    const containers = new ContainerCollector(node, containerPolicyOf(given));
    const directories = nodeDirectories(ctx, node);
    const kept = keepMemory({ ...ctx, time }, images);
    const orphans = orphanGauges(ctx.metrics);
    const rounds = new Rounds({ ctx, images, containers, directories, orphans, strategy, looked: () => kept.saved() });
    const collectContainers = async (signal: AbortSignal): Promise<void> => {
      await rounds.deadContainers(signal);
      await rounds.podDirectories(signal);
    };
    const collects = imageLoopRuns(policy);
    const collectImages = (signal?: AbortSignal): Promise<void> =>
      collects && ctx.pods.sourcesReady() ? rounds.images(signal) : rounds.detection();

    const first = new FirstRound(
      ctx.clock,
      () => ctx.pods.sourcesReady(),
      async () => {
        await collectContainers(ctx.signal);
        await collectImages();
      },
    );

    ctx.hooks.containerStart.tap((_, { container }) => images.touch(runtimeName(container.image ?? "")));
    ctx.hooks
      .tick(CONTAINER_GC_PERIOD)
      .tap({ name: "containers", deadlineSeconds: DEADLINE }, ({ signal }) => collectContainers(signal));
    ctx.hooks
      .tick(IMAGE_GC_PERIOD)
      .tap({ name: "images", deadlineSeconds: DEADLINE }, ({ signal }) => collectImages(signal));
    ctx.node.offerReclaim({
      name: "dead containers",
      frees: "container",
      order: 0,
      reclaim: (signal) => rounds.reclaimContainers(signal),
    });
    ctx.node.offerReclaim({
      name: "unused images",
      frees: "image",
      order: 10,
      reclaim: (signal, by) => rounds.reclaimImages(signal, by),
    });

    return {
      async open() {
        await restoreMemory({ ...ctx, time }, kept, images);
        first.begin();
      },
      views: { images: imagesView(images, time, ctx.clock) },
      async plan(input) {
        const report = await images.plan(thresholdsOf(input));
        const { image } = await ctx.runtime.fileSystems();
        const decision = planDecision(report, strategy);
        const note = overlap(images.records.values(), image.usedBytes);
        const outcome = note === undefined ? decision.outcome : `${decision.outcome}; ${note}`;
        const cleaning = cleaningDecision(await containers.plan(), await findOrphans(directories));
        return [{ ...decision, outcome }, cleaning].map((one) => ({ at: ctx.clock.now(), plugin: ctx.plugin, ...one }));
      },
      async explain(kind, name) {
        if (kind !== "image") return [];
        const decision = explainImage(await images.plan(), strategy, name);
        return decision === undefined ? [] : [{ at: ctx.clock.now(), plugin: ctx.plugin, ...decision }];
      },
      health: () => rounds.health(),
      async stop() {
        first.stop();
        if (images.records.size > 0) await kept.saved();
      },
    };
  },
});

function tellOrderFault({ events, log }: Pick<NodeContext, "events" | "log">, strategy: string, fault: string): void {
  const message = `image gc: the answer of order strategy "${strategy}" is not used: ${fault}; images go in the kubelet's order.`;
  log.error({ strategy }, message);
  events.node("Warning", "ImageOrderInvalid", message);
}

function orphanGauges(metrics: NodeContext["metrics"]): RoundsParts["orphans"] {
  const cleaned = metrics.gauge({
    name: "kubelet_orphan_pod_cleaned_volumes",
    help: "The total number of orphaned Pods whose volumes were cleaned in the last periodic sweep.",
  });
  const failed = metrics.gauge({
    name: "kubelet_orphan_pod_cleaned_volumes_errors",
    help: "The number of orphaned Pods whose volumes failed to be cleaned in the last periodic sweep.",
  });
  return { cleaned: (count) => cleaned.set(count), failed: (count) => failed.set(count) };
}

/** `--until PERCENT`: both thresholds. @throws NodeAgentError INVALID for anything else */
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

/** Milliseconds between two checks. */
const PATIENCE = 1_000;

/** The kubelet begins its loops with a round; here the first one waits until all sources of pods have been read. */
class FirstRound {
  #timer: Timer | undefined;
  #stopped = false;

  /** `run` must not reject. */
  constructor(
    private readonly clock: Pick<Clock, "schedule">,
    private readonly isReady: () => boolean,
    private readonly run: () => Promise<void>,
  ) {}

  begin(): void {
    if (this.#stopped) return;
    this.#timer = this.clock.schedule(PATIENCE, () => {
      if (this.isReady()) void this.run();
      else this.begin();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }
}
