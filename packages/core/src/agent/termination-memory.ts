/** Causes of terminations that outlive the agent: an evicted pod stays evicted. One checked file, written before the kill. */
import { isRecord } from "@hooklet/manifest";
import { type Clock, sleep } from "../clock.js";
import { agentStopping } from "../errors.js";
import type { TerminationCause } from "../hooks/termination.js";
import type { Json } from "../lib/json.js";
import type { Checkpoint } from "../plugin/contract.js";

/** Milliseconds after which a write that failed is tried again. */
const RETRY = 10_000;

export interface MemoryPorts {
  readonly checkpoint: Checkpoint;
  readonly clock: Clock;
  report(where: string, error: unknown): void;
}

export class TerminationMemory {
  readonly #causes = new Map<string, TerminationCause>();
  readonly #stop = new AbortController();
  /** Counts changes; `#saved` is the newest that is on disk. */
  #version = 0;
  #saved = 0;
  #retrying = false;

  constructor(private readonly ports: MemoryPorts) {}

  async load(): Promise<ReadonlyMap<string, TerminationCause>> {
    const saved = await this.ports.checkpoint.read();
    if (isRecord(saved)) {
      for (const [uid, cause] of Object.entries(saved)) if (isCause(cause)) this.#causes.set(uid, cause);
    }
    return new Map(this.#causes);
  }

  /**
   * Resolves once it is on disk, or could not be written: an eviction that makes room on a full disk must not wait for that
   * room. Then it is reported and tried again until it is written.
   */
  async remember(uid: string, cause: TerminationCause): Promise<void> {
    if (!this.#causes.has(uid)) {
      this.#causes.set(uid, cause);
      this.#version++;
    }
    await this.#save();
  }

  async forget(uid: string): Promise<void> {
    if (!this.#causes.delete(uid)) return;
    this.#version++;
    await this.#save();
  }

  /** Gives up what is yet to be tried again. */
  stop(): void {
    this.#stop.abort(agentStopping());
  }

  async #save(): Promise<void> {
    try {
      await this.#write();
    } catch (error) {
      this.ports.report("terminations", error);
      void this.#retry();
    }
  }

  async #write(): Promise<void> {
    const version = this.#version;
    if (this.#saved >= version) return;
    await this.ports.checkpoint.write(Object.fromEntries(this.#causes) as unknown as Json);
    this.#saved = Math.max(this.#saved, version);
  }

  async #retry(): Promise<void> {
    if (this.#retrying) return;
    this.#retrying = true;
    while (this.#saved < this.#version && !this.#stop.signal.aborted) {
      await sleep(this.ports.clock, RETRY, this.#stop.signal)
        .then(() => this.#write())
        // Told when it first failed.
        .catch(() => undefined);
    }
    this.#retrying = false;
  }
}

function isCause(value: unknown): value is TerminationCause {
  if (typeof value !== "object" || value === null || !("kind" in value)) return false;
  if (value.kind === "deadline") return true;
  const words = value as { reason?: unknown; message?: unknown; by?: unknown };
  return value.kind === "evicted" && [words.reason, words.message, words.by].every((word) => typeof word === "string");
}
