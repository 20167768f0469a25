/** Pod sandboxes over the CRI. */
import { type Clock, Labels, type Sandbox } from "@hooklet/core";
import { RuntimeError, type SandboxConfig, type SandboxStatus } from "@hooklet/core/host";
import { fineWhenGone, rethrow, withCode } from "./call-errors.js";
import type { Calls } from "./calls.js";
import type { Known } from "./known.js";
import { toSandbox, toSandboxStatus } from "./map/answer.js";
import { sandboxRequest } from "./map/request.js";
import { onceFree, onceSettled } from "./retries.js";

export class CriSandboxes {
  constructor(
    private readonly calls: Calls,
    private readonly known: Known,
    private readonly clock: Clock,
  ) {}

  async run(config: SandboxConfig, signal?: AbortSignal): Promise<string> {
    const request = { config: sandboxRequest(config), runtimeHandler: config.runtimeHandler };
    const { uid, attempt } = config.metadata;
    const make = () => this.calls.call("RunPodSandbox", request, signal);
    const exists = async () => (await this.list(uid)).some(({ metadata }) => metadata.attempt === attempt);
    const { podSandboxId } = await onceFree(this.clock, make, exists, signal).catch((error: unknown) => {
      throw withCode(error);
    });
    this.known.set(podSandboxId, { podUid: uid });
    return podSandboxId;
  }

  async stop(id: string): Promise<void> {
    const call = this.calls.call("StopPodSandbox", { podSandboxId: id }).then(() => undefined, fineWhenGone);
    await this.known.stops(id, call);
  }

  async remove(id: string): Promise<void> {
    await onceSettled(this.clock, () => this.calls.call("RemovePodSandbox", { podSandboxId: id })).catch(fineWhenGone);
    this.known.forgetSandbox(id);
  }

  async list(podUid?: string): Promise<readonly Sandbox[]> {
    const filter = podUid === undefined ? {} : { filter: { labelSelector: { [Labels.podUid]: podUid } } };
    const { items } = await this.calls.call("ListPodSandbox", filter).catch(rethrow);
    return items.map((item) => {
      const uid = item.labels[Labels.podUid];
      if (uid !== undefined) this.known.set(item.id, { podUid: uid });
      return toSandbox(item);
    });
  }

  async status(id: string): Promise<SandboxStatus> {
    const { status } = await this.calls.call("PodSandboxStatus", { podSandboxId: id }).catch(rethrow);
    if (status === null) throw new RuntimeError("not-found", `sandbox ${id} has no status`);
    return toSandboxStatus(status);
  }
}
