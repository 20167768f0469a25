/**
 * Pods over which an agent may have died before: they are handled after all others, one at a time, those with most deaths last. So
 * the next death has one name, and who was only handled at the same moment is cleared.
 */
import type { Clock } from "../../clock.js";
import { fullName, type WantedPod } from "./wanted-pods.js";

/**
 * Milliseconds that one is waited for: longer it waits for something itself, for others that wait for their turn perhaps (a critical
 * pod for its victims). What keeps the agent busy keeps this timer from ending too.
 */
const LONGEST = 1_000;
/** Milliseconds that whoever adds some waits until they are taken. */
const PATIENCE = 10_000;

/** Pods whose handling ended the agent, or may have. */
export interface FatalPods {
  /** Why nobody handles the pod any more, since doing so ended the agent again and again; undefined for all others. */
  whySetAside(uid: string): string | undefined;
  /** How often in a row an agent may have died over it. */
  deathsOver(uid: string): number;
  /** It was handled for itself, and the agent lives. */
  handledWell(uid: string): void;
  /** The pod is not wanted any more, or is another one. */
  forget(uid: string): void;
}

export interface ProbationPorts {
  readonly clock: Clock;
  readonly fatal: Pick<FatalPods, "deathsOver" | "handledWell">;
  /** Begins to handle the pod, if that is still wanted; `rest` resolves once there is nothing to be done for it for now. */
  take(wanted: WantedPod): Promise<{ readonly rest: Promise<void> } | undefined>;
  report(where: string, error: unknown): void;
}

export class Probation {
  readonly #waiting = new Map<string, WantedPod>();
  readonly #whenTaken: (() => void)[] = [];
  #busy = false;

  constructor(private readonly ports: ProbationPorts) {}

  /** It waits for its turn. */
  has(uid: string): boolean {
    return this.#waiting.has(uid);
  }

  /** Resolves once all are taken, so that they are among the node's pods; after ten seconds in any case. */
  add(pods: readonly WantedPod[]): Promise<void> {
    if (pods.length === 0) return Promise.resolve();
    for (const one of pods) this.#waiting.set(one.pod.metadata.uid, one);
    const taken = new Promise<void>((resolve) => {
      const timer = this.ports.clock.schedule(PATIENCE, resolve);
      this.#whenTaken.push(() => {
        timer.cancel();
        resolve();
      });
    });
    if (!this.#busy) void this.#run();
    return taken;
  }

  clear(): void {
    this.#waiting.clear();
    this.#tellTaken();
  }

  #tellTaken(): void {
    if (this.#waiting.size === 0) for (const tell of this.#whenTaken.splice(0)) tell();
  }

  async #run(): Promise<void> {
    this.#busy = true;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      try {
        await this.#handle(next);
      } catch (error) {
        this.ports.report(`start of pod ${fullName(next.pod)}`, error);
      }
    }
    this.#busy = false;
  }

  #next(): WantedPod | undefined {
    const { fatal } = this.ports;
    const [first] = [...this.#waiting].toSorted(([a], [b]) => fatal.deathsOver(a) - fatal.deathsOver(b));
    if (first === undefined) return undefined;
    this.#waiting.delete(first[0]);
    return first[1];
  }

  async #handle(wanted: WantedPod): Promise<void> {
    const taken = await this.ports.take(wanted).finally(() => this.#tellTaken());
    if (taken === undefined) return;
    await new Promise<void>((resolve) => {
      const timer = this.ports.clock.schedule(LONGEST, resolve);
      void taken.rest.then(() => {
        timer.cancel();
        resolve();
      });
    });
    this.ports.fatal.handledWell(wanted.pod.metadata.uid);
  }
}
