import {
  type Clock,
  type ContainerStatus,
  type ExecResult,
  type Image,
  type RuntimeContainer,
  type Sandbox,
  sleep,
} from "@hooklet/core";
import {
  type ContainerConfig,
  type ImageFsInfo,
  type InteractiveExec,
  type Runtime,
  RuntimeError,
  type RuntimeEvent,
  type RuntimeInfo,
  type SandboxConfig,
  type SandboxStatus,
} from "@hooklet/core/host";
import type { ContainerStats, LinuxContainerResources } from "@hooklet/core/subsystem";
import {
  type ContainerRecord,
  containerOf,
  containerStatusOf,
  sandboxOf,
  sandboxStatusOf,
} from "./container-records.js";
import { type ImageDisk, type SimulatedImage, type SimulatedImageFs, SimulatedImages } from "./images.js";
import { NodeState } from "./node-state.js";
import { Operations, type RuntimeOperation, type RuntimeWatchers } from "./operations.js";
import type { SimulatedProcess } from "./process.js";
import type { ProgramTable } from "./programs.js";
import { Scripts } from "./scripts.js";
import { type ExecOutput, simulatedExec, simulatedExecSync } from "./simulated-exec.js";

export interface SimulatedRuntimeOptions {
  readonly clock: Clock;
  readonly images?: readonly SimulatedImage[];
  readonly imageFs?: SimulatedImageFs;
  /** In place of `imageFs`. */
  readonly disk?: ImageDisk;
  /** The image that sandboxes run from; default none. It is on the node from the start. */
  readonly sandboxImage?: string;
  /** Programs by the first word of a container's or an exec's command, in addition to the built-in ones. */
  readonly programs?: ProgramTable;
  /** False: the runtime has no events and must be relisted. Default true. */
  readonly events?: boolean;
  /** Writes container output to real log files at the log path. Default false. */
  readonly writeLogs?: boolean;
  /** What a container's process does at TERM; default what its program says. */
  readonly onTerm?: (container: ContainerRecord, process: SimulatedProcess) => void;
  readonly watchers?: Partial<RuntimeWatchers>;
}

/** The simulated node as the core sees it: the runtime port and nothing more. */
export class SimulatedPort implements Runtime {
  readonly name = "simulated";
  readonly logFormat = "cri";
  readonly subscribe?: (listener: (event: RuntimeEvent) => void) => () => void;
  protected readonly clock: Clock;
  protected readonly operations: Operations;
  protected readonly scripts: Scripts;
  protected readonly images: SimulatedImages;
  protected readonly state: NodeState;
  readonly #listeners = new Set<(event: RuntimeEvent) => void>();
  #open = false;
  protected eventsToDrop = 0;
  protected readonly sandboxImage: string | undefined;
  protected illness: string | undefined;
  readonly #watchers: Partial<RuntimeWatchers>;

  constructor(options: SimulatedRuntimeOptions) {
    const { watchers = {}, onTerm = (_, process) => process.term() } = options;
    this.#watchers = watchers;
    this.clock = options.clock;
    this.operations = new Operations(options.clock);
    this.scripts = new Scripts(options.programs ?? {});
    this.images = new SimulatedImages(options.images ?? [], options.imageFs ?? {}, options.disk, watchers);
    this.sandboxImage = options.sandboxImage;
    if (options.sandboxImage !== undefined) this.images.add({ names: [options.sandboxImage] });
    this.state = new NodeState(
      options.clock,
      this.scripts,
      options.writeLogs ?? false,
      (event) => this.#emit(event),
      onTerm,
    );
    if (options.events ?? true) {
      this.subscribe = (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      };
    }
  }

  start(): Promise<void> {
    return this.operations.call("start", () => {
      this.#open = true;
    });
  }

  close(): Promise<void> {
    return this.operations.call("close", () => {
      this.#open = false;
      this.#listeners.clear();
    });
  }

  info(): Promise<RuntimeInfo> {
    return this.#call("info", () => ({
      runtimeName: "simulated",
      runtimeVersion: "1",
      runtimeApiVersion: "v1",
      idPrefix: "simulated",
      ...(this.sandboxImage === undefined ? {} : { sandboxImage: this.sandboxImage }),
      cgroupDriver: "cgroupfs",
      runtimeHandlers: [""],
      isolation: [{ what: "everything", isolated: "yes", how: "containers exist in the memory of one process only" }],
    }));
  }

  health(): Promise<string | undefined> {
    return this.#call("health", () => this.illness);
  }

  runSandbox(config: SandboxConfig, signal?: AbortSignal): Promise<string> {
    this.#watchers.sandbox?.(config.metadata);
    return this.#call("runSandbox", () => this.state.runSandbox(config), signal);
  }

  stopSandbox(id: string): Promise<void> {
    for (const container of this.#containersIn(id)) container.isStopped = true;
    return this.#call("stopSandbox", () => this.state.stopSandbox(id));
  }

  async removeSandbox(id: string): Promise<void> {
    const inside = this.#containersIn(id);
    await this.#call("removeSandbox", () => this.state.removeSandbox(id));
    for (const container of inside) this.#watchers.removed?.(container);
  }

  listSandboxes({ podUid }: { readonly podUid?: string } = {}): Promise<readonly Sandbox[]> {
    return this.#call("listSandboxes", () =>
      [...this.state.sandboxes.values()]
        .filter(({ config }) => podUid === undefined || config.metadata.uid === podUid)
        .map(sandboxOf),
    );
  }

  sandboxStatus(id: string): Promise<SandboxStatus> {
    return this.#call("sandboxStatus", () => sandboxStatusOf(this.state.sandbox(id)));
  }

  createContainer(
    sandboxId: string,
    config: ContainerConfig,
    _sandbox: SandboxConfig,
    signal?: AbortSignal,
  ): Promise<string> {
    const create = (): string => {
      this.state.sandbox(sandboxId);
      if (this.images.find(config.image.image) === undefined) {
        throw new RuntimeError(
          "image-not-present",
          `no image ${config.image.image} on the simulated node: pull it first`,
        );
      }
      refuseUnknownDevices(config);
      return this.state.createContainer(sandboxId, config);
    };
    return this.#call("createContainer", create, signal);
  }

  async startContainer(id: string): Promise<void> {
    try {
      await this.#call("startContainer", () => this.state.startContainer(id));
    } finally {
      this.#begun(this.state.containers.get(id));
    }
  }

  stopContainer(id: string, gracePeriodSeconds: number): Promise<void> {
    const container = this.state.containers.get(id);
    if (container !== undefined) container.isStopped = true;
    return this.#call("stopContainer", () => this.state.stopContainer(id, gracePeriodSeconds));
  }

  async removeContainer(id: string): Promise<void> {
    const container = this.state.containers.get(id);
    await this.#call("removeContainer", () => this.state.removeContainer(id));
    if (container !== undefined) this.#watchers.removed?.(container);
  }

  listContainers(
    filter: { readonly podUid?: string; readonly sandboxId?: string } = {},
  ): Promise<readonly RuntimeContainer[]> {
    const { podUid, sandboxId } = filter;
    return this.#call("listContainers", () =>
      [...this.state.containers.values()]
        .filter(({ sandbox }) => podUid === undefined || sandbox.config.metadata.uid === podUid)
        .filter(({ sandbox }) => sandboxId === undefined || sandbox.id === sandboxId)
        .map(containerOf),
    );
  }

  containerStatus(id: string): Promise<ContainerStatus> {
    return this.#call("containerStatus", () => containerStatusOf(this.state.container(id)));
  }

  async updateContainerResources(id: string, resources: LinuxContainerResources): Promise<void> {
    const container = await this.#call("updateContainerResources", () => {
      const found = this.state.container(id);
      found.resources = { ...found.resources, ...resources };
      return found;
    });
    this.#watchers.resized?.(container, resources);
  }

  execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult> {
    return this.#call("execSync", () =>
      simulatedExecSync(this.clock, this.scripts, this.state.container(id), command, timeoutSeconds),
    );
  }

  exec(id: string, options: { readonly command: readonly string[] }, output: ExecOutput): Promise<InteractiveExec> {
    return this.#call("exec", () =>
      simulatedExec(this.clock, this.scripts, this.state.container(id), options.command, output),
    );
  }

  imageStatus(image: string): Promise<Image | undefined> {
    return this.#call("imageStatus", () => this.images.find(image));
  }

  listImages(): Promise<readonly Image[]> {
    return this.#call("listImages", () => this.images.list());
  }

  async pullImage(image: string, signal?: AbortSignal): Promise<string> {
    const wait = this.images.pullTime(image);
    if (wait > 0) await sleep(this.clock, wait, signal);
    const pulled = await this.#call("pullImage", () => this.images.pull(image), signal);
    if (pulled.isNew) this.images.pulled(image, pulled.image);
    return pulled.image.id;
  }

  removeImage(image: string): Promise<void> {
    return this.#call("removeImage", () => this.images.remove(image));
  }

  imageFsInfo(): Promise<ImageFsInfo> {
    return this.#call("imageFsInfo", () => this.images.fileSystem());
  }

  listContainerStats(): Promise<readonly ContainerStats[]> {
    return this.#call("listContainerStats", () =>
      [...this.state.containers.values()]
        .filter((container) => container.process !== undefined)
        .map(({ id, config, stats }) => ({ id, labels: config.labels, ...stats })),
    );
  }

  #containersIn(sandboxId: string): readonly ContainerRecord[] {
    return [...this.state.containers.values()].filter(({ sandbox }) => sandbox.id === sandboxId);
  }

  #begun(container: ContainerRecord | undefined): void {
    const { started, ended } = this.#watchers;
    if (container === undefined || container.startedAt === 0n) return;
    started?.(container);
    if (container.process === undefined) ended?.(container);
    else if (ended !== undefined) container.onEnd.add(() => ended(container));
  }

  async #call<T>(operation: RuntimeOperation, work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    if (!this.#open) {
      throw new RuntimeError("unavailable", `${operation} was called on a runtime that is not started, or closed`);
    }
    return this.operations.call(operation, work, signal);
  }

  #emit(event: RuntimeEvent): void {
    if (this.eventsToDrop > 0) {
      this.eventsToDrop -= 1;
      return;
    }
    // As from a stream: never within the call that caused it.
    queueMicrotask(() => {
      for (const listener of this.#listeners) listener(event);
    });
  }
}

/** Devices of any vendor exist, unless the vendor ends in `.invalid`. */
function refuseUnknownDevices({ cdiDevices }: ContainerConfig): void {
  const unknown = cdiDevices.filter((name) => name.split("/", 1)[0]?.endsWith(".invalid"));
  if (unknown.length === 0) return;
  throw new RuntimeError("unknown", `CDI device injection failed: unresolvable CDI devices ${unknown.join(", ")}`);
}
