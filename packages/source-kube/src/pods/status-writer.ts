/** Statuses of pods on their way to the API; the last one is followed by the end of the object itself. */
import type { Clock, Pod } from "@hooklet/core";
import type { StatusReport } from "@hooklet/core/host";
import { isApiError } from "../client/api-error.js";
import type { KubeClient } from "../client/client.js";
import { paths } from "../client/paths.js";
import { type ApiPod, isBeingDeleted } from "./api-pod.js";
import type { PodTable } from "./pod-table.js";
import { mergedStatus, type Status } from "./status-merge.js";
import { podStatusPatch, writtenStatus } from "./status-patch.js";

export interface StatusWriterPorts {
  readonly client: Pick<KubeClient, "patch" | "delete">;
  readonly table: PodTable;
  readonly hostIP: string;
  readonly clock: Pick<Clock, "monotonic">;
  /** Called for each status that the API has accepted, with the seconds since the agent reported it. */
  readonly took: (seconds: number) => void;
}

export class StatusWriter {
  constructor(private readonly ports: StatusWriterPorts) {}

  /** Rejects where it has to be tried again. */
  async write({ pod, final }: StatusReport, signal: AbortSignal): Promise<void> {
    const { table } = this.ports;
    const { uid } = pod.metadata;
    const inApi = table.get(uid);
    if (inApi === undefined) return;
    const isThere = await this.#patch(pod, inApi, signal);
    const now = table.get(uid);
    if (final && isThere && now !== undefined && isBeingDeleted(now)) await this.remove(now, signal);
  }

  /** The pod's object goes for good: nothing of it is left on the node. */
  async remove({ metadata }: ApiPod, signal: AbortSignal): Promise<void> {
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
      generation: table.generation(uid),
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
