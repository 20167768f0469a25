/** The rounds of both loops, with their events, log lines, decisions and health. */
import { errorText, type HealthPart, type NodeContext } from "@hooklet/core";
import type { Cleaned, ContainerCollector } from "./container-collector.js";
import { removalDecisions } from "./gc-decisions.js";
import type { ImageCollector, RoundReport } from "./image-collector.js";
import { formatSize } from "./images/image-policy.js";
import { beginning } from "./images/messages.js";
import { type DirectoryPorts, sweepDirectories } from "./orphaned-pod-directories.js";

export interface RoundsParts {
  readonly ctx: Pick<NodeContext, "events" | "decisions" | "log" | "runtime" | "signal">;
  readonly images: ImageCollector;
  readonly containers: ContainerCollector;
  readonly directories: DirectoryPorts;
  /** The kubelet's gauges of the last sweep. */
  readonly orphans: { cleaned(count: number): void; failed(count: number): void };
  readonly strategy: string;
  /** Called after each detection: the records changed. */
  readonly looked: () => void;
}

/** Seconds between two rounds of container garbage collection. */
export const CONTAINER_GC_PERIOD = 60;
/** Seconds between two rounds of image garbage collection; each detects all images. */
export const IMAGE_GC_PERIOD = 300;

/** `detection` is the detection alone, without removals; `directories` the sweep of orphaned pod directories. */
export type Loop = "containers" | "images" | "detection" | "directories";

/** The event of a failed round; undefined: it is only logged. `before`: how many rounds failed in a row just before this one. */
export function failureEvent(loop: Loop, before: number): "ContainerGCFailed" | "ImageGCFailed" | undefined {
  if (loop === "containers") return "ContainerGCFailed";
  return loop === "images" && before > 0 ? "ImageGCFailed" : undefined;
}

/** Longest reported failure, in characters. */
const LONGEST = 4096;

const NAMES: Readonly<Record<Loop, string>> = {
  containers: "Container garbage collection",
  images: "Image garbage collection",
  detection: "The look at the images",
  directories: "Cleanup of orphaned pod directories",
};

export class Rounds {
  /** How often each loop failed in a row. */
  readonly #failures = new Map<Loop, number>();
  #lastImages: string = "no round yet";
  #lastFailure: string | undefined;
  /** Why directories of pods stay, as last reported. */
  #staying = new Map<string, string>();

  constructor(private readonly parts: RoundsParts) {}

  /** One round of image garbage collection. Never rejects. */
  async images(signal?: AbortSignal): Promise<void> {
    const { images, ctx, looked } = this.parts;
    const before = await this.#available();
    try {
      const report = await images.collect(signal);
      looked();
      await this.#report(report, before);
      const { failure } = report;
      if (failure?.event !== undefined) ctx.events.node("Warning", failure.event, failure.message);
      if (failure === undefined) this.#worked("images");
      else this.#failed("images", failure.message);
    } catch (error) {
      // An agent that stops has not failed.
      if (!ctx.signal.aborted) this.#failed("images", errorText(error));
    }
  }

  /** A detection without removals. Never rejects. */
  async detection(): Promise<void> {
    try {
      await this.parts.images.look();
      this.parts.looked();
      this.#worked("detection");
    } catch (error) {
      this.#failed("detection", errorText(error));
    }
  }

  /** One round of container garbage collection. Never rejects. */
  async deadContainers(signal: AbortSignal): Promise<void> {
    const cleaned = await this.parts.containers.collect(signal);
    this.#cleaned(cleaned);
    if (cleaned.failure === undefined) this.#worked("containers");
    else if (!signal.aborted) this.#failed("containers", cleaned.failure);
  }

  /** One sweep of directories whose pods are gone. Never rejects. */
  async podDirectories(signal: AbortSignal): Promise<void> {
    const { ctx, directories, orphans } = this.parts;
    try {
      const { removed, staying } = await sweepDirectories(directories, signal);
      for (const uid of removed) ctx.log.info({ podUid: uid }, `container gc: removed the directory of pod ${uid}`);
      for (const { uid, why } of staying) if (this.#staying.get(uid) !== why) ctx.log.error({ podUid: uid }, why);
      this.#staying = new Map(staying.map(({ uid, why }) => [uid, why]));
      orphans.cleaned(removed.length + staying.length);
      orphans.failed(staying.length);
      this.#worked("directories");
    } catch (error) {
      if (!signal.aborted) this.#failed("directories", errorText(error));
    }
  }

  /** All unused images, for disk pressure. */
  async reclaimImages(
    signal: AbortSignal,
    by: string,
  ): Promise<{ readonly removed: number; readonly freedBytes?: number }> {
    const before = await this.#available();
    const report = await this.parts.images.reclaim(signal);
    this.parts.looked();
    const measured = await this.#report(report, before, by);
    const removed = report.outcomes.filter(({ verdict }) => verdict === "removed").length;
    if (report.failure !== undefined) throw new Error(report.failure.message);
    return { removed, freedBytes: measured ?? report.freed };
  }

  /** All dead containers, those of pods that have ended too, for disk pressure. */
  async reclaimContainers(signal: AbortSignal): Promise<{ readonly removed: number }> {
    const cleaned = await this.parts.containers.collect(signal, true);
    this.#cleaned(cleaned);
    if (cleaned.failure !== undefined) throw new Error(cleaned.failure);
    return { removed: cleaned.containers.length + cleaned.sandboxes.length };
  }

  /** A failing collection does not restart the agent: it is only reported. */
  health(): HealthPart {
    return { ok: true, message: this.#lastFailure === undefined ? this.#lastImages : `failed: ${this.#lastFailure}` };
  }

  /** Decisions and one line; gives the bytes that became free by the file system's own numbers. */
  async #report(report: RoundReport, before: number | undefined, by?: string): Promise<number | undefined> {
    const { ctx, strategy } = this.parts;
    const asked = by === undefined ? undefined : { by, availableBytes: before };
    for (const decision of removalDecisions(report, strategy, asked)) ctx.decisions.record(decision);
    const removed = report.outcomes.filter(({ verdict }) => verdict === "removed");
    const used = report.usagePercent === undefined ? "" : `, ${report.usagePercent}% used before`;
    this.#lastImages = `${report.outcomes.length + report.kept.length} images, ${removed.length} removed${used}`;
    if (removed.length === 0) return 0;
    const after = await this.#available();
    const measured = before === undefined || after === undefined ? undefined : after - before;
    const sizes = removed.reduce((sum, { image }) => sum + image.size, 0);
    const disk = measured === undefined ? "" : `, ${formatSize(Math.max(0, measured))} on disk`;
    ctx.log.info(
      { removed: removed.length, sizes, measured },
      `image gc: removed ${removed.length} images, ${formatSize(sizes)} by their sizes${disk}`,
    );
    return measured;
  }

  async #available(): Promise<number | undefined> {
    try {
      return (await this.parts.ctx.runtime.fileSystems()).image.availableBytes;
    } catch (error) {
      // The round itself reads again and fails for it; this is only for the log.
      this.parts.ctx.log.debug({ err: error }, `image gc: free space is unknown: ${errorText(error)}`);
      return undefined;
    }
  }

  #cleaned({ containers, sandboxes, logDirectories }: Cleaned): void {
    const { ctx } = this.parts;
    for (const { id, podUid, why } of containers)
      ctx.log.info({ podUid }, `container gc: removed container ${id}: ${why}`);
    for (const { id, podUid, why } of sandboxes)
      ctx.log.info({ podUid }, `container gc: removed sandbox ${id}: ${why}`);
    for (const name of logDirectories) ctx.log.info(`container gc: removed log directory ${name}: its pod is gone`);
  }

  #worked(loop: Loop): void {
    this.#failures.delete(loop);
    if (this.#failures.size === 0) this.#lastFailure = undefined;
  }

  #failed(loop: Loop, text: string): void {
    const { ctx } = this.parts;
    const message = beginning(text, LONGEST);
    const before = this.#failures.get(loop) ?? 0;
    this.#failures.set(loop, before + 1);
    this.#lastFailure = message;
    const event = failureEvent(loop, before);
    if (event !== undefined) ctx.events.node("Warning", event, message);
    const name = NAMES[loop];
    ctx.log.error(
      before === 0 ? `${name} failed once: ${message}` : `${name} failed ${before + 1} times in a row: ${message}`,
    );
  }
}
