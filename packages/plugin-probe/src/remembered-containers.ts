/** What survives a restart of the agent: which containers were ready and started, by container id. */
import { type ContainerStatus, errorText, type NodeContext, type NodeView, type Pod } from "@hooklet/core";
import { type KeptState, millisecondsOf } from "@hooklet/core/subsystem";
import type { Containers } from "./probed-containers.js";
import type { Prober } from "./prober.js";
import { probedContainers, probeKinds, probeOf } from "./types.js";

export interface Memory {
  /** By container id. */
  readonly containers: Readonly<Record<string, ContainerMemory>>;
}

export type ContainerMemory = { readonly ready: boolean; readonly started: boolean };

/** What an earlier life of the plugin knew of containers whose pods have not been admitted yet; a source may speak hours late. */
export class Remembered {
  readonly #containers = new Map<string, ContainerMemory>();

  /** Keeps what is remembered of containers that run. */
  open(memory: Memory, observed: Pick<NodeView, "containers">): void {
    for (const { id, state } of observed.containers) {
      const known = memory.containers[id];
      if (known !== undefined && state === "CONTAINER_RUNNING") this.#containers.set(id, known);
    }
  }

  take(id: string): ContainerMemory | undefined {
    const known = this.#containers.get(id);
    this.#containers.delete(id);
    return known;
  }

  entries(): Iterable<readonly [id: string, memory: ContainerMemory]> {
    return this.#containers;
  }
}

/** Milliseconds between two writes: changes of many containers at once are one write. */
const SPACING = 100;

/** An agent that is killed must not have forgotten which containers were ready a moment ago. */
export function keepMemory(
  { checkpoint, log }: Pick<NodeContext, "checkpoint" | "log">,
  value: () => Memory,
): KeptState<Memory> {
  return checkpoint("containers").keep<Memory>({
    value,
    schema: (z) =>
      z.object({ containers: z.record(z.string(), z.object({ ready: z.boolean(), started: z.boolean() })) }),
    spacing: SPACING,
    failed: (error) =>
      log.warn(
        `could not keep which containers are ready: ${errorText(error)}; until the next change an agent that is restarted may take some for not ready`,
      ),
  });
}

export function memoryOf(containers: Pick<Containers, "all">, remembered: Pick<Remembered, "entries">): Memory {
  const known = [...containers.all()].filter(({ containerId }) => containerId !== "");
  return {
    containers: Object.fromEntries([
      ...remembered.entries(),
      ...known.map(({ containerId, ready, started }) => [containerId, { ready, started }] as const),
    ]),
  };
}

/** The kubelet's own margin: what has run for longer is no fresh start. */
const SETTLED = 10_000;

/**
 * Takes up the probes of what runs of a pod. A container that the memory does not know counts as ready and started if it has run
 * for more than 10 s (the memory was lost), else as just started (the agent died before it could write).
 */
export function takeUp(
  prober: Pick<Prober, "adopt">,
  remembered: Remembered,
  { pod, running, now }: { readonly pod: Pod; readonly running: readonly ContainerStatus[]; readonly now: number },
): void {
  for (const status of running) {
    const known = remembered.take(status.id);
    const container = probed(pod, status.metadata.name);
    if (container === undefined) continue;
    const settled = now - millisecondsOf(status.startedAt) > SETTLED;
    prober.adopt(pod, container, status.id, known ?? (settled ? { ready: true, started: true } : undefined));
  }
}

function probed(pod: Pod, name: string) {
  const container = probedContainers(pod).find((own) => own.name === name);
  return container !== undefined && probeKinds.some((kind) => probeOf(container, kind) !== undefined)
    ? container
    : undefined;
}
