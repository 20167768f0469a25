/** Statuses of pods on their way to the API; the last one is followed by the end of the object itself. */
import type { Clock, Pod } from "@hooklet/core";
import type { StatusReport } from "@hooklet/core/host";
import { unlessAborted } from "@hooklet/core/subsystem";
import { isApiError } from "../client/api-error.js";
import type { KubeClient } from "../client/client.js";
import { paths } from "../client/paths.js";
import { type ApiPod, isBeingDeleted } from "./api-pod.js";
import type { PodTable } from "./pod-table.js";
import { mergedStatus, podStatusPatch, type Status, writtenStatus } from "./status-patch.js";

export interface StatusWriterPorts {
  readonly client: Pick<KubeClient, "patch" | "delete">;
  readonly table: PodTable;
  readonly hostIP: string;
  readonly clock: Pick<Clock, "monotonic">;
  /** Called for each status that the API has accepted, with the seconds since the agent reported it. */
  readonly took: (seconds: number) => void;
}

export class StatusWriter {
  readonly #statuses = new Turns();
  readonly #removals = new Turns();

  constructor(private readonly ports: StatusWriterPorts) {}

  /** A status of the pod is on its way. */
  isWriting(uid: string): boolean {
    return this.#statuses.has(uid);
  }

  /** One at a time per pod. Rejects where it has to be tried again. */
  write(report: StatusReport, signal: AbortSignal): Promise<void> {
    return this.#statuses.run(report.pod.metadata.uid, signal, () => this.#write(report, signal));
  }

  /** The pod's object goes for good: nothing of it is left on the node. Once, however often it is asked for meanwhile. */
  async remove(pod: ApiPod, signal: AbortSignal): Promise<void> {
    const { uid } = pod.metadata;
    if (!this.#removals.has(uid)) await this.#removals.run(uid, signal, () => this.#remove(pod, signal));
  }

  async #write({ pod, final }: StatusReport, signal: AbortSignal): Promise<void> {
    const { table } = this.ports;
    const { uid } = pod.metadata;
    const inApi = table.get(uid);
    if (inApi === undefined) return;
    const isThere = await this.#patch(pod, inApi, signal);
    const now = table.get(uid);
    if (final && isThere && now !== undefined && isBeingDeleted(now)) await this.#remove(now, signal);
  }

  async #remove({ metadata }: ApiPod, signal: AbortSignal): Promise<void> {
    const { uid } = metadata;
    const body = { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0, preconditions: { uid } };
    try {
      await this.ports.client.delete(paths.pod(metadata), body, { signal });
    } catch (error) {
      // It is gone, or another pod has its name.
      if (!isApiError(error, 404, 409)) throw error;
    }
  }

  /** False: there is no such pod any more. */
  async #patch(pod: Pod, inApi: ApiPod, signal: AbortSignal): Promise<boolean> {
    const { client, clock, table, hostIP, took } = this.ports;
    const began = clock.monotonic();
    const { uid } = pod.metadata;
    const before = (inApi.status ?? {}) as Status;
    const after = mergedStatus({
      pod,
      inApi: before,
      generation: table.observed(pod),
      hostIP,
      foreign: table.gates(uid),
    });
    const patch = podStatusPatch(after, before);
    if (patch === undefined) return true;
    try {
      const body = { metadata: { uid }, status: patch };
      await client.patch(`${paths.pod(inApi.metadata)}/status`, body, { signal, answer: "metadata" });
      table.wrote(inApi, writtenStatus(after, before));
      took((clock.monotonic() - began) / 1_000);
      return true;
    } catch (error) {
      // Another pod may have the name by now: the watch has delivered that, or will until the next try. Otherwise other writers change this pod all the time.
      if (isApiError(error, 404) || (isApiError(error, 409) && !table.has(uid))) return false;
      throw error;
    }
  }
}

/** One write at a time per pod: of two the server could apply the older one last. */
export class Turns {
  /** Uid -> ends with the write, and never rejects. */
  readonly #writes = new Map<string, Promise<unknown>>();

  has(uid: string): boolean {
    return this.#writes.has(uid);
  }

  /**
   * Begins the work at once, or when that of the same pod has ended. Settles as the work does; rejects with the signal's reason where
   * that aborts before it has begun.
   */
  async run(uid: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    for (let before = this.#writes.get(uid); before !== undefined; before = this.#writes.get(uid)) {
      await unlessAborted(signal, before);
    }
    signal.throwIfAborted();
    const write = work();
    const end = () => this.#writes.delete(uid);
    this.#writes.set(uid, write.then(end, end));
    await write;
  }
}
