/** Tells the runtime on which processors its running containers may run now. */
import { allContainers, errorText, type NodeContext } from "@hooklet/core";

export class Repinning {
  /** What each running container has, by its id. */
  readonly #applied = new Map<string, string>();
  /** Refusals of the runtime, each reported once. */
  readonly #refused = new Map<string, string>();
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly ctx: Pick<NodeContext, "pods" | "runtime" | "log">,
    private readonly cpusOf: (podUid: string, container: string) => string,
  ) {}

  /** The container was made with these. */
  started(containerId: string, cpus: string): void {
    this.#applied.set(containerId, cpus);
  }

  /** Updates every container whose processors differ from what the runtime has; one run at a time. Never rejects. */
  run(signal?: AbortSignal): Promise<void> {
    this.#last = this.#last.then(() => this.#run(signal));
    return this.#last;
  }

  async #run(signal: AbortSignal | undefined): Promise<void> {
    const { pods } = this.ctx;
    // What starts while this runs is not forgotten at its end.
    const before = [...this.#applied.keys()];
    const seen = new Set<string>();
    for (const pod of pods.active()) {
      const podUid = pod.metadata.uid;
      for (const { name } of allContainers(pod)) {
        const id = pods.running({ podUid, container: name })?.containerId;
        if (id === undefined) continue;
        seen.add(id);
        if (signal?.aborted) continue;
        await this.#tell(id, podUid, name);
      }
    }
    for (const id of before) {
      if (seen.has(id)) continue;
      this.#applied.delete(id);
      this.#refused.delete(id);
    }
  }

  async #tell(id: string, podUid: string, container: string): Promise<void> {
    const cpus = this.cpusOf(podUid, container);
    if (this.#applied.get(id) === cpus) return;
    try {
      await this.ctx.runtime.updateContainerResources(id, { cpusetCpus: cpus });
      this.#applied.set(id, cpus);
      this.#refused.delete(id);
    } catch (error) {
      const why = `cannot move container ${container} of pod ${podUid} to CPUs ${cpus}: ${errorText(error)}`;
      if (this.#refused.get(id) !== why) this.ctx.log.warn(`${why}; tried again`);
      this.#refused.set(id, why);
    }
  }
}
