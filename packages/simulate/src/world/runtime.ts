/** The containers of a scenario: the test kit's, with cgroups, processes and pulls that take their time and their room. */
import { type LinuxContainerResources, sleep } from "@hooklet/core";
import { type ContainerConfig, type ImageFsInfo, RuntimeError, type SandboxConfig } from "@hooklet/core/host";
import {
  type ContainerRecord,
  type SimulatedProcess,
  SimulatedRuntime,
  type SimulatedRuntimeOptions,
  type VirtualClock,
} from "@hooklet/testkit/simulation";

/** A container that runs. */
export interface Running {
  readonly id: string;
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly name: string;
  readonly attempt: number;
  readonly image: string;
  /** Of its pod; "" when nobody made one. */
  readonly cgroupParent: string;
  readonly logPath: string;
  readonly limitBytes: number | undefined;
  readonly oomScoreAdj: number;
  /** Ends it now. */
  exit(code: number, reason?: string): void;
}

export interface Ended {
  readonly code: number;
  readonly reason: string;
  /** The agent stopped it. */
  readonly stopped: boolean;
}

export interface Watchers {
  /** A sandbox is about to be made: the pod has been admitted. */
  sandbox(pod: Running["pod"]): void;
  started(container: Running): void;
  ended(container: Running, how: Ended): void;
  /** Removed from the node. */
  gone(id: string): void;
  pulled(image: string, id: string, size: number): void;
  removed(id: string, names: readonly string[], size: number): void;
  resized(id: string, resources: LinuxContainerResources): void;
}

/** What a program does at TERM. */
export interface OnTerm {
  readonly code: number;
  /** Milliseconds until it ends. */
  readonly after: number;
  /** It runs on, until it is killed. */
  readonly ignored: boolean;
}

export class ScenarioRuntime extends SimulatedRuntime {
  /** Milliseconds of a pull, by name. */
  readonly pullTimes = new Map<string, number>();
  readonly #stopping = new Set<string>();
  readonly #onTerm = new Map<string, OnTerm>();
  readonly #virtual: VirtualClock;

  constructor(
    options: SimulatedRuntimeOptions & { readonly clock: VirtualClock },
    private readonly watchers: Watchers,
  ) {
    super(options);
    this.#virtual = options.clock;
  }

  imageBytes(): number {
    return this.images.fileSystem().usedBytes;
  }

  override imageFsInfo(): Promise<ImageFsInfo> {
    this.setImageFs(this.imageFs());
    return super.imageFsInfo();
  }

  /** Set once the disks are known. */
  imageFs: () => Parameters<SimulatedRuntime["setImageFs"]>[0] = () => ({});

  override runSandbox(config: SandboxConfig, signal?: AbortSignal): Promise<string> {
    this.watchers.sandbox(config.metadata);
    return super.runSandbox(config, signal);
  }

  override async startContainer(id: string): Promise<void> {
    try {
      await super.startContainer(id);
    } finally {
      this.#begun(id);
    }
  }

  override stopContainer(id: string, gracePeriodSeconds: number): Promise<void> {
    this.#stopping.add(id);
    return super.stopContainer(id, gracePeriodSeconds);
  }

  override async stopSandbox(id: string): Promise<void> {
    for (const { id: container, sandbox } of this.state.containers.values()) {
      if (sandbox.id === id) this.#stopping.add(container);
    }
    return super.stopSandbox(id);
  }

  override async removeContainer(id: string): Promise<void> {
    await super.removeContainer(id);
    this.watchers.gone(id);
  }

  override async removeSandbox(id: string): Promise<void> {
    const inside = [...this.state.containers.values()].filter(({ sandbox }) => sandbox.id === id);
    await super.removeSandbox(id);
    for (const container of inside) this.watchers.gone(container.id);
  }

  override async updateContainerResources(id: string, resources: LinuxContainerResources): Promise<void> {
    await super.updateContainerResources(id, resources);
    this.watchers.resized(id, resources);
  }

  override async pullImage(image: string, signal?: AbortSignal): Promise<string> {
    const wait = this.pullTimes.get(image) ?? 0;
    if (wait > 0) await sleep(this.#virtual, wait, signal);
    const before = new Set(this.images.list().map(({ id }) => id));
    const id = await super.pullImage(image, signal);
    const found = this.images.find(id);
    if (found === undefined || before.has(id)) return id;
    if (this.imageFree() < 0) {
      this.images.remove(id);
      throw new RuntimeError(
        "unknown",
        `failed to pull and unpack image "${image}": failed to extract layer: write: no space left on device`,
      );
    }
    this.watchers.pulled(image, id, found.size);
    return id;
  }

  /** Bytes that are free on the disk of images, below 0 where they are too many. */
  imageFree: () => number = () => Number.POSITIVE_INFINITY;

  override async removeImage(image: string): Promise<void> {
    const found = this.images.find(image);
    await super.removeImage(image);
    if (found !== undefined && this.images.find(found.id) === undefined) {
      this.watchers.removed(found.id, found.repoTags, found.size);
    }
  }

  /** The newest container of this name. @throws Error naming what there is */
  find(podUid: string, name: string): string {
    return this.state.newest(podUid, name).id;
  }

  /** What the newest container of this name was made with. @throws Error naming what there is */
  config(podUid: string, name: string): ContainerConfig {
    return this.state.newest(podUid, name).config;
  }

  /** From now on, for all containers of this name in the pod. */
  tellTerm(podUid: string, container: string, what: OnTerm): void {
    this.#onTerm.set(`${podUid}/${container}`, what);
  }

  /** What nobody told otherwise, and says nothing of it itself, handles TERM as servers do: it ends well, at once. */
  protected override term({ sandbox, config }: ContainerRecord, process: SimulatedProcess): void {
    const told = this.#onTerm.get(`${sandbox.config.metadata.uid}/${config.metadata.name}`);
    if (told === undefined) process.term(() => process.exit(0));
    else if (told.ignored) return;
    else if (told.after === 0) process.exit(told.code);
    else process.after(told.after, () => process.exit(told.code));
  }

  isThere(id: string): boolean {
    return this.state.containers.has(id);
  }

  /** Of a running container. */
  setLayer(id: string, bytes: number): void {
    const container = this.state.container(id);
    container.stats = { ...container.stats, writableLayerUsedBytes: bytes, writableLayerInodesUsed: 1 };
  }

  setMemory(id: string, bytes: number): void {
    const container = this.state.container(id);
    container.stats = { ...container.stats, memoryWorkingSetBytes: bytes };
  }

  #begun(id: string): void {
    const record = this.state.containers.get(id);
    if (record === undefined || record.startedAt === 0n) return;
    const { config, sandbox } = record;
    const { namespace, name, uid } = sandbox.config.metadata;
    const limit = record.resources.memoryLimitInBytes ?? 0;
    const running: Running = {
      id,
      pod: { namespace, name, uid },
      name: config.metadata.name,
      attempt: config.metadata.attempt,
      image: config.image.userSpecifiedImage,
      cgroupParent: sandbox.config.linux.cgroupParent,
      logPath: `${sandbox.config.logDirectory}/${config.logPath}`,
      limitBytes: limit > 0 ? limit : undefined,
      oomScoreAdj: record.resources.oomScoreAdj ?? 0,
      exit: (code, reason) => record.process?.exit(code, reason === undefined ? {} : { reason }),
    };
    const ended = (): void => {
      const { code = 0, reason = code === 0 ? "Completed" : "Error" } = record.exit ?? {};
      this.watchers.ended(running, { code, reason, stopped: this.#stopping.delete(id) });
    };
    this.watchers.started(running);
    if (record.process === undefined) ended();
    else record.onEnd.add(ended);
  }
}
