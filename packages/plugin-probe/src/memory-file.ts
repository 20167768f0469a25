/** Keeps the memory on disk: an agent that is killed must not have forgotten which containers were ready a moment ago. */
import { type Checkpoint, type Clock, errorText, type NodeContext, type Timer } from "@hooklet/core";
import type { Memory } from "./memory.js";

/** Milliseconds between two writes: changes of many containers at once are one write. */
const SPACING = 100;

export interface MemoryFileParts {
  readonly checkpoint: Checkpoint;
  readonly clock: Clock;
  readonly log: Pick<NodeContext["log"], "warn">;
  /** What is to be kept now. */
  readonly memory: () => Memory;
}

export class MemoryFile {
  #timer: Timer | undefined;
  /** There is something to write that no write has begun for. */
  #stale = false;
  #writing: Promise<void> | undefined;

  constructor(private readonly parts: MemoryFileParts) {}

  /** To be called at each change; the first is written at the end of the turn, those that follow soon after together. */
  changed(): void {
    if (this.#stale) return;
    this.#stale = true;
    if (this.#timer === undefined && this.#writing === undefined) this.#plan(0);
  }

  /** Writes what is not written yet. */
  async flush(): Promise<void> {
    this.#timer?.cancel();
    await this.#writing;
    if (this.#stale) await this.#write();
  }

  #plan(delay: number): void {
    this.#timer = this.parts.clock.schedule(delay, () => {
      this.#timer = undefined;
      this.#writing = this.#write().finally(() => {
        this.#writing = undefined;
        if (this.#stale && this.#timer === undefined) this.#plan(SPACING);
      });
    });
  }

  async #write(): Promise<void> {
    this.#stale = false;
    try {
      await this.parts.checkpoint.write({ ...this.parts.memory() });
    } catch (error) {
      this.parts.log.warn(
        `could not keep which containers are ready: ${errorText(error)}; until the next change an agent that is restarted may take some for not ready`,
      );
    }
  }
}
