/** The process runtime: the port's methods, each handed to the part that does it. */
import { setMaxListeners } from "node:events";
import { access } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Duplex } from "node:stream";
import {
  type ContainerStatus,
  type ExecResult,
  errorText,
  type Image,
  type RuntimeContainer,
  type Sandbox,
} from "@hooklet/core";
import {
  type AskedRoot,
  type ContainerConfig,
  dockerConfigFiles,
  type ExecOptions,
  type ImageFsInfo,
  type InteractiveExec,
  type Runtime,
  type RuntimeContext,
  RuntimeError,
  type RuntimeEvent,
  type RuntimeInfo,
  type SandboxConfig,
  type SandboxStatus,
} from "@hooklet/core/host";
import type { ContainerStats, LinuxContainerResources, PullCredentials } from "@hooklet/core/subsystem";
import { z } from "zod";
import { findSkopeo } from "./command/toolbox.js";
import { reachesNodeFiles, unenforced } from "./container/check-supported.js";
import { Containers } from "./container/containers.js";
import { recordsOnDisk } from "./container/state-file.js";
import { toContainer, toContainerStatus } from "./container/status.js";
import { resolveUserOf } from "./container/user.js";
import type { Deps } from "./deps.js";
import { execInteractive, execSync } from "./exec/run.js";
import { ImageStore } from "./image/store.js";
import { removeStaleTemp } from "./image/temp.js";
import { isolationFacts } from "./isolation-table.js";
import { layoutOf, makeLayout } from "./layout.js";
import { openDeps } from "./open.js";
import type { ProcessRuntimeOptions } from "./options.js";
import { connectToPort, Sandboxes } from "./sandbox/sandboxes.js";
import { containerStats } from "./stats.js";

const { version: ownVersion } = z
  .object({ version: z.string() })
  .parse(createRequire(import.meta.url)("../package.json"));

interface Opened {
  readonly deps: Deps;
  readonly sandboxes: Sandboxes;
  readonly containers: Containers;
  readonly closing: AbortController;
}

export class ProcessRuntime implements Runtime {
  readonly name = "process";
  readonly logFormat = "cri";
  readonly #listeners = new Set<(event: RuntimeEvent) => void>();
  readonly #images: ImageStore;
  readonly #damage: string[] = [];
  #opened: Opened | undefined;

  constructor(
    readonly ctx: RuntimeContext,
    readonly options: ProcessRuntimeOptions,
    /** Where credentials of registries may lie. */
    private readonly home?: string,
  ) {
    this.#images = new ImageStore(layoutOf(ctx.rootDir), ctx.log);
  }

  async start(): Promise<void> {
    if (this.#opened !== undefined)
      throw new RuntimeError("failed-precondition", "the process runtime is started already");
    const closing = new AbortController();
    // One for each start that is under way.
    setMaxListeners(0, closing.signal);
    const emit = (event: RuntimeEvent): void => this.#emit(event);
    const damaged = (text: string): void => {
      this.ctx.log.error(text);
      this.#damage.push(text);
    };
    const deps = await openDeps(this.ctx, this.#images.layout, this.options, emit, damaged, closing.signal);
    const sandboxes = new Sandboxes(deps);
    const containers = new Containers(deps);
    try {
      await sandboxes.open();
      await containers.open((id) => sandboxes.has(id));
    } catch (error) {
      deps.starter.close();
      throw error;
    }
    this.#opened = { deps, sandboxes, containers, closing };
  }

  async info(): Promise<RuntimeInfo> {
    const { deps } = this.#need();
    const [hierarchy] = deps.hierarchies;
    return {
      runtimeName: "process",
      runtimeVersion: ownVersion,
      runtimeApiVersion: "v1",
      idPrefix: "process",
      isolation: isolationFacts({
        isolation: deps.isolation,
        cgroups: hierarchy !== undefined,
        asRoot: deps.asRoot,
      }),
      runtimeHandlers: [""],
      // Each read-only mount is so with all below it.
      ...(deps.isolation.mode !== "none" && { recursiveReadOnlyHandlers: [""] }),
      ...(hierarchy !== undefined && { cgroupDriver: "cgroupfs" }),
      details: {
        mode: deps.isolation.mode,
        ...(deps.isolation.why !== undefined && { why: deps.isolation.why }),
        cgroups: hierarchy === undefined ? "none" : hierarchy.version,
      },
    };
  }

  damage(): readonly string[] {
    return this.#damage;
  }

  async health(): Promise<string | undefined> {
    if (this.#opened === undefined) return "the process runtime is not started";
    return access(this.#opened.deps.layout.events).then(
      () => undefined,
      (error: unknown) => `the process runtime's state is out of reach: ${errorText(error)}`,
    );
  }

  async runSandbox(config: SandboxConfig): Promise<string> {
    return this.#need().sandboxes.run(config);
  }

  async stopSandbox(id: string): Promise<void> {
    const { sandboxes, containers } = this.#need();
    await Promise.all(containers.inSandbox(id).map((container) => containers.stop(container.id, 0)));
    await sandboxes.stop(id);
  }

  async removeSandbox(id: string): Promise<void> {
    const { sandboxes, containers } = this.#need();
    await Promise.all(containers.inSandbox(id).map((container) => containers.remove(container.id)));
    await sandboxes.remove(id);
  }

  async listSandboxes(filter: { readonly podUid?: string } = {}): Promise<readonly Sandbox[]> {
    return this.#need().sandboxes.list(filter.podUid);
  }

  async sandboxStatus(id: string): Promise<SandboxStatus> {
    return this.#need().sandboxes.status(id);
  }

  async createContainer(sandboxId: string, config: ContainerConfig, sandbox: SandboxConfig): Promise<string> {
    const { sandboxes, containers } = this.#need();
    sandboxes.checkReady(sandboxId);
    const cgroupParent = sandboxes.cgroupParent(sandboxId);
    return (await containers.create({ sandboxId, config, sandbox, cgroupParent })).id;
  }

  unenforced(config: ContainerConfig): readonly string[] {
    return unenforced(config);
  }

  async reachesNodeFiles(container: AskedRoot): Promise<string | undefined> {
    const { deps } = this.#need();
    const image = await this.#images.find(container.image);
    if (image === undefined) return undefined;
    const { user } = resolveUserOf(deps, { ...container, supplementalGroups: [] }, image);
    return reachesNodeFiles(container, deps.isolation, image, user.uid);
  }

  async startContainer(id: string): Promise<void> {
    await this.#need().containers.start(id);
  }

  async stopContainer(id: string, gracePeriodSeconds: number): Promise<void> {
    await this.#need().containers.stop(id, gracePeriodSeconds);
  }

  async removeContainer(id: string): Promise<void> {
    await this.#need().containers.remove(id);
  }

  async listContainers(
    filter: { readonly podUid?: string; readonly sandboxId?: string } = {},
  ): Promise<readonly RuntimeContainer[]> {
    const { containers } = this.#need();
    const found = filter.sandboxId === undefined ? containers.list() : containers.inSandbox(filter.sandboxId);
    return found
      .filter(({ record }) => filter.podUid === undefined || record.podUid === filter.podUid)
      .map((container) => toContainer(container));
  }

  async containerStatus(id: string): Promise<ContainerStatus> {
    return toContainerStatus(this.#need().containers.need(id));
  }

  async reopenContainerLog(id: string): Promise<void> {
    await this.#need().containers.reopenLog(id);
  }

  async updateContainerResources(id: string, resources: LinuxContainerResources): Promise<void> {
    this.#need().containers.update(id, resources);
  }

  async execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult> {
    const { deps, containers } = this.#need();
    return execSync(deps, containers.need(id), command, timeoutSeconds);
  }

  async exec(
    id: string,
    options: ExecOptions,
    output: (stream: "stdout" | "stderr", data: Buffer) => void,
  ): Promise<InteractiveExec> {
    const { deps, containers } = this.#need();
    return execInteractive(deps, containers.need(id), options, output);
  }

  /** A pod's network is the machine's. */
  async portForward(sandboxId: string, port: number): Promise<Duplex> {
    this.#need().sandboxes.checkReady(sandboxId);
    return connectToPort(port);
  }

  async imageStatus(image: string): Promise<Image | undefined> {
    return this.#images.status(image);
  }

  async listImages(): Promise<readonly Image[]> {
    await makeLayout(this.#images.layout);
    return this.#images.list();
  }

  /** Looked up each time: who installs it need not start the agent again. */
  get canPull(): boolean {
    return findSkopeo() !== undefined;
  }

  async pullImage(image: string, signal?: AbortSignal, credentials?: PullCredentials): Promise<string> {
    const present = await this.#images.status(image);
    if (present?.imported === true) return present.id;
    // Loaded when needed: most starts unpack no image.
    const { needSkopeo, pullImage } = await import("./pull/pull.js");
    const program = needSkopeo(findSkopeo(), image);
    const { deps } = this.#need();
    const { maxImageBytes: maxBytes, maxImageEntries: maxEntries, dockerConfig } = this.options;
    const options = {
      program,
      configPath: this.options.registryConfigPath,
      credentialFiles: dockerConfigFiles(this.ctx.rootDir, this.home, dockerConfig),
      timeout: this.options.imagePullProgressTimeout,
      bounds: { maxBytes, maxEntries },
    };
    const either = signal === undefined ? deps.closed : AbortSignal.any([signal, deps.closed]);
    return pullImage(deps, options, image, credentials, either);
  }

  async removeImage(image: string): Promise<void> {
    await makeLayout(this.#images.layout);
    const users =
      this.#opened?.containers.list().map(({ record }) => record) ?? (await recordsOnDisk(this.#images.layout));
    await this.#images.remove(image, (id) => users.find(({ imageId }) => imageId === id)?.id);
  }

  async imageFsInfo(): Promise<ImageFsInfo> {
    await makeLayout(this.#images.layout);
    return this.#images.fsInfo();
  }

  async listContainerStats(): Promise<readonly ContainerStats[]> {
    const { containers, deps } = this.#need();
    return containerStats(containers.list(), deps.isolation.mode !== "none");
  }

  subscribe(listener: (event: RuntimeEvent) => void): () => void {
    const own = (event: RuntimeEvent): void => listener(event);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Works without `start`: no agent need run. */
  async importImage(name: string, path: string): Promise<string> {
    const { maxImageBytes: maxBytes, maxImageEntries: maxEntries } = this.options;
    await makeLayout(this.#images.layout);
    await removeStaleTemp(this.#images.layout.imageTemp);
    const { importImage } = await import("./image/import.js");
    return importImage(this.#images, name, path, { maxBytes, maxEntries });
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    this.#listeners.clear();
    opened?.closing.abort();
    opened?.deps.starter.close();
    opened?.deps.signals.close();
    opened?.deps.roots.close();
    await opened?.containers.close();
  }

  #need(): Opened {
    if (this.#opened !== undefined) return this.#opened;
    throw new RuntimeError("unavailable", "the process runtime is not started, or was closed");
  }

  #emit(event: RuntimeEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.ctx.log.error(`a listener of runtime events failed: ${errorText(error)}`);
      }
    }
  }
}
