/** Asks the runtime whether it is well, so that events, which the log has too, say when it is away, also one that hangs. */

import type { Clock, Timer } from "@hooklet/utils";
import type { HealthPart } from "../plugin/contract.js";
import type { Telemetry } from "./parts/telemetry.js";

/** Milliseconds. Two answers of 5 s at most fit with it into the 30 s that the kubelet gives a runtime. */
const EVERY = 10_000;

interface RuntimeWatchParts {
  readonly clock: Clock;
  readonly events: Pick<Telemetry["events"], "node">;
  readonly nodeName: string;
  /** Never rejects. */
  ask(): Promise<HealthPart>;
}

export class RuntimeWatch {
  #timer: Timer | undefined;
  #isStopped = false;
  #isAway = false;

  constructor(private readonly parts: RuntimeWatchParts) {}

  start(): void {
    this.#timer = this.parts.clock.schedule(EVERY, () => void this.#look());
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  async #look(): Promise<void> {
    let part = await this.parts.ask();
    // One answer that is late is a busy machine.
    if (!part.ok && !this.#isAway && !this.#isStopped) part = await this.parts.ask();
    if (this.#isStopped) return;
    if (part.ok === this.#isAway) this.#changed(part);
    this.start();
  }

  #changed({ ok, message = "no reason given" }: HealthPart): void {
    const { events, nodeName } = this.parts;
    this.#isAway = !ok;
    const text = `Node ${nodeName} status is now: ${ok ? "NodeReady" : `NodeNotReady: ${message}`}`;
    events.node(ok ? "Normal" : "Warning", ok ? "NodeReady" : "NodeNotReady", text);
  }
}
