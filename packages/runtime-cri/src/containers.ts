/** Containers over the CRI. */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import {
  type Clock,
  type RuntimeContainer as Container,
  type ContainerStatus,
  type ExecResult,
  Labels,
} from "@hooklet/core";
import { type ContainerConfig, RuntimeError, type SandboxConfig } from "@hooklet/core/host";
import { errno, type LinuxContainerResources, whenGone } from "@hooklet/core/subsystem";
import { CallError, codeOf, fineWhenGone, plain, rethrow } from "./call-errors.js";
import type { Calls } from "./calls.js";
import type { Known } from "./known.js";
import { toContainer, toContainerStatus } from "./map/answer.js";
import { containerRequest, resources, sandboxRequest } from "./map/request.js";
import { onceFree, onceSettled } from "./retries.js";
import type { WireContainer } from "./wire.js";

export interface ContainerFilter {
  readonly podUid?: string;
  readonly sandboxId?: string;
  readonly id?: string;
}

export class CriContainers {
  constructor(
    private readonly calls: Calls,
    private readonly known: Known,
    private readonly clock: Clock,
  ) {}

  async create(
    sandboxId: string,
    config: ContainerConfig,
    sandbox: SandboxConfig,
    signal?: AbortSignal,
  ): Promise<string> {
    const request = {
      podSandboxId: sandboxId,
      config: containerRequest(config),
      sandboxConfig: sandboxRequest(sandbox),
    };
    // As a kubelet does: CRI-O makes a log, and not the folder that it is to lie in.
    await makeFolder(path.dirname(path.join(sandbox.logDirectory, config.logPath)));
    const { name, attempt } = config.metadata;
    const make = () => this.calls.call("CreateContainer", request, signal);
    const exists = async () =>
      (await this.list({ sandboxId })).some(({ metadata }) => metadata.name === name && metadata.attempt === attempt);
    const { containerId } = await onceFree(this.clock, make, exists, signal).catch((error: unknown) => {
      throw imageGone(error, config) ?? plain(error);
    });
    this.known.set(containerId, { podUid: sandbox.metadata.uid, sandboxId });
    return containerId;
  }

  async start(id: string): Promise<void> {
    await this.calls.call("StartContainer", { containerId: id }).catch((error: unknown) => {
      if (error instanceof CallError && codeOf(error) === "unknown") {
        throw new RuntimeError("start-error", error.details, { cause: error });
      }
      throw plain(error);
    });
  }

  async stop(id: string, gracePeriodSeconds: number): Promise<void> {
    const request = { containerId: id, timeout: gracePeriodSeconds };
    const call = this.calls.call("StopContainer", request).then(() => undefined, fineWhenGone);
    await this.known.stops(id, call);
  }

  async remove(id: string): Promise<void> {
    await onceSettled(this.clock, () => this.calls.call("RemoveContainer", { containerId: id })).catch(fineWhenGone);
    this.known.forget(id);
  }

  async list({ podUid, sandboxId, id }: ContainerFilter = {}): Promise<readonly Container[]> {
    const filter = {
      ...(id === undefined ? {} : { id }),
      ...(sandboxId === undefined ? {} : { podSandboxId: sandboxId }),
      ...(podUid === undefined ? {} : { labelSelector: { [Labels.podUid]: podUid } }),
    };
    const { containers } = await this.calls.call("ListContainers", { filter }).catch(rethrow);
    for (const container of containers) this.#learn(container);
    return containers.map(toContainer);
  }

  async status(id: string): Promise<ContainerStatus> {
    const { status } = await this.calls.call("ContainerStatus", { containerId: id }).catch(rethrow);
    if (status === null) throw new RuntimeError("not-found", `container ${id} has no status`);
    return toContainerStatus(status, await this.#sandboxOf(status.id));
  }

  async update(id: string, given: LinuxContainerResources): Promise<void> {
    await this.calls.call("UpdateContainerResources", { containerId: id, linux: resources(given) }).catch(rethrow);
  }

  async execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult> {
    const request = { containerId: id, cmd: command, timeout: timeoutSeconds };
    return this.calls.call("ExecSync", request).catch(rethrow);
  }

  async reopenLog(id: string): Promise<void> {
    await this.calls.call("ReopenContainerLog", { containerId: id }).catch(rethrow);
  }

  /** The CRI's status does not say it. */
  async #sandboxOf(id: string): Promise<string> {
    if (this.known.get(id) === undefined) await this.list({ id });
    return this.known.get(id)?.sandboxId ?? "";
  }

  #learn({ id, labels, podSandboxId: sandboxId }: WireContainer): void {
    const podUid = labels[Labels.podUid];
    if (podUid !== undefined) this.known.set(id, { podUid, sandboxId });
  }
}

/** NotFound of a create is the sandbox's or the image's. */
function imageGone(error: unknown, { image }: ContainerConfig): RuntimeError | undefined {
  if (!(error instanceof CallError) || codeOf(error) !== "not-found" || !/image/i.test(error.details)) return undefined;
  return new RuntimeError("image-not-present", error.details || `image ${image.image} is gone`, { cause: error });
}

/** Node's own `recursive` says ENOENT where the disk is full. */
async function makeFolder(folder: string): Promise<void> {
  const make = () => whenGone(undefined, () => mkdir(folder, { mode: 0o755 }), ["EEXIST"]);
  try {
    await make();
  } catch (error) {
    if (errno(error) !== "ENOENT" || path.dirname(folder) === folder) throw error;
    await makeFolder(path.dirname(folder));
    await make();
  }
}
