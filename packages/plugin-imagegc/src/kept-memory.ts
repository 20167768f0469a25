/** When images were last used, kept over restarts of the agent. */
import { type Checkpoint, errorText, type NodeContext } from "@hooklet/core";
import type { ImageCollector } from "./image-collector.js";
import { type Boot, memoryJson, readMemory } from "./images/memory.js";
import type { SteadyTime } from "./steady-time.js";

export class KeptMemory {
  constructor(
    private readonly parts: Pick<NodeContext, "clock" | "host" | "log"> & {
      readonly checkpoint: Checkpoint;
      readonly time: SteadyTime;
    },
  ) {}

  /** To be called before the first look. What cannot be read is told, and all images count as new. */
  async restore(images: ImageCollector): Promise<void> {
    const { checkpoint, log } = this.parts;
    try {
      const memory = readMemory(await checkpoint.read(), this.#moment());
      if (memory !== undefined) images.remember(memory);
    } catch (error) {
      log.warn(`what was remembered of images cannot be used: ${errorText(error)}; all of them count as new`);
    }
  }

  /** A write that fails, on a full disk say, is told; the rounds go on. */
  async keep({ began, records }: Pick<ImageCollector, "began" | "records">): Promise<void> {
    const { checkpoint, log } = this.parts;
    try {
      await checkpoint.write(memoryJson(began, records, this.#moment()));
    } catch (error) {
      log.warn(`could not keep when images were last used: ${errorText(error)}; after a restart some count as unused`);
    }
  }

  #moment() {
    const { clock, time } = this.parts;
    return { now: time.now(), wall: clock.now(), boot: this.#boot() };
  }

  #boot(): Boot | undefined {
    const { host, log } = this.parts;
    try {
      const id = host.kernel.read("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
      const seconds = Number.parseFloat(host.kernel.read("/proc/uptime") ?? "");
      return id === "" || !Number.isFinite(seconds) ? undefined : { id, uptime: Math.round(seconds * 1000) };
    } catch (error) {
      log.debug({ err: error }, `image gc: the kernel does not tell its uptime: ${errorText(error)}`);
      return undefined;
    }
  }
}
