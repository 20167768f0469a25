/** Asks the runtime whether it is well, so that events, which the log has too, say when it is away, also one that hangs. */

import { disk } from "@hooklet/linux";
import { type Clock, NodeAgentError, type Timer, whenGone } from "@hooklet/utils";
import type { HealthPart } from "../plugin/contract.js";
import { ROOT_DIR_ANNOTATION } from "../pod/holds.js";
import type { PodRemains } from "../pod/life/adopt.js";
import { isLocked } from "../state/lock.js";
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

// One agent per container runtime: an agent stops the pods that it does not know, as a kubelet does.

/**
 * An agent that has ended may have left its pods, which are no reason.
 * @throws NodeAgentError CLAIM_CONFLICT while the agent of another root directory runs pods there
 */
export async function refuseSharedRuntime(found: Iterable<PodRemains>, rootDir: string): Promise<void> {
  const noted = [...found].flatMap(({ sandboxes }) =>
    sandboxes.map(({ annotations }) => annotations[ROOT_DIR_ANNOTATION]),
  );
  for (const other of new Set(noted)) {
    if (other === undefined || other === rootDir || !(await isOfAnother(other, rootDir))) continue;
    throw new NodeAgentError(
      "CLAIM_CONFLICT",
      `Another agent, with the root directory ${other}, has pods in this container runtime, and this agent would stop them. ` +
        "Give each agent its own container runtime (runtime.options.endpoint), or stop the other agent.",
    );
  }
}

/** Not the own directory under another name, and in use. */
async function isOfAnother(other: string, rootDir: string): Promise<boolean> {
  const path = await whenGone(undefined, () => disk.realpath(other), ["ENOENT", "EACCES"]);
  return path !== undefined && path !== (await disk.realpath(rootDir)) && isLocked(path);
}
