/** When images were last used, kept over restarts of the agent, and the clock of it. */
import { type Clock, errorText, type NodeContext } from "@hooklet/core";
import type { KeptState } from "@hooklet/core/subsystem";
import type { ImageCollector } from "./image-collector.js";
import { type Boot, memoryOf, memoryToSave, type SavedMemory, savedMemory } from "./images/last-use.js";

type Parts = Pick<NodeContext, "checkpoint" | "clock" | "host" | "log"> & { readonly time: SteadyTime };

/** A failed write, for example on a full disk, is reported; the rounds continue. */
export function keepMemory(parts: Parts, images: Pick<ImageCollector, "began" | "records">): KeptState<SavedMemory> {
  return parts.checkpoint("images").keep<SavedMemory>({
    value: () => memoryToSave(images.began, images.records, momentOf(parts)),
    schema: savedMemory,
    failed: (error) =>
      parts.log.warn(
        `could not keep when images were last used: ${errorText(error)}; after a restart some count as unused`,
      ),
  });
}

/** Call it before the first detection. An unreadable file is reported, and all images count as new. */
export async function restoreMemory(parts: Parts, kept: KeptState<SavedMemory>, images: ImageCollector): Promise<void> {
  try {
    const saved = await kept.read();
    if (saved !== undefined) images.remember(memoryOf(saved, momentOf(parts)));
  } catch (error) {
    parts.log.warn(`what was remembered of images cannot be used: ${errorText(error)}; all of them count as new`);
  }
}

function momentOf({ clock, time, ...parts }: Parts) {
  return { now: time.now(), wall: clock.now(), boot: bootOf(parts) };
}

function bootOf({ host, log }: Pick<Parts, "host" | "log">): Boot | undefined {
  try {
    const id = host.kernel.read("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
    const seconds = Number.parseFloat(host.kernel.read("/proc/uptime") ?? "");
    return id === "" || !Number.isFinite(seconds) ? undefined : { id, uptime: Math.round(seconds * 1000) };
  } catch (error) {
    log.debug({ err: error }, `image gc: the kernel does not tell its uptime: ${errorText(error)}`);
    return undefined;
  }
}

/**
 * Time for ages: milliseconds that start at the wall clock and continue with the monotonic one. Setting the machine's clock
 * makes no image older or younger.
 */
export class SteadyTime {
  readonly #offset: number;

  constructor(private readonly clock: Pick<Clock, "now" | "monotonic">) {
    this.#offset = clock.now() - clock.monotonic();
  }

  now(): number {
    return this.#offset + this.clock.monotonic();
  }

  /** The same moment on the current wall clock, for display. */
  wall(time: number): number {
    return time - this.now() + this.clock.now();
  }
}
