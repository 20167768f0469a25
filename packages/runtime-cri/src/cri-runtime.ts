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
  type StreamParts,
  type StreamRequest,
} from "@hooklet/core/host";
import type { ContainerStats, LinuxContainerResources, PullCredentials } from "@hooklet/core/subsystem";
import { plain, rethrow } from "./call-errors.js";
import { Calls } from "./calls.js";
import { configFacts, connectTo } from "./connect.js";
import { CriContainers } from "./containers.js";
import { EventHub } from "./events/hub.js";
import { chooseEvents } from "./events/sources.js";
import { GrpcClient } from "./grpc-client.js";
import { CriImages } from "./images.js";
import { Known } from "./known.js";
import { toStats } from "./map/answer.js";
import { type ConfigFacts, healthText, isolationFacts, knowsCdi } from "./map/status.js";
import type { CriRuntimeOptions } from "./options.js";
import { CriSandboxes } from "./sandboxes.js";
import { interactiveExec } from "./stream/interactive-exec.js";
import { forwardedPort } from "./stream/port-forward.js";
import { serverUrl } from "./stream/stream-connection.js";
import type { Answers } from "./wire.js";

/** The runtime port over CRI v1. It keeps nothing on disk: the runtime's labels and annotations are all it needs. */
export class CriRuntime implements Runtime {
  readonly name = "cri";
  readonly logFormat = "cri";
  readonly podLogsDir = "/var/log/pods";
  /** Set by `start` where the runtime has events. */
  subscribe?: (listener: (event: RuntimeEvent) => void, gap?: () => void) => () => void;
  readonly #client: GrpcClient;
  readonly #imageClient: GrpcClient;
  readonly #calls: Calls;
  readonly #known = new Known();
  readonly #sandboxes: CriSandboxes;
  readonly #containers: CriContainers;
  readonly #images: CriImages;
  #version: Answers["Version"] | undefined;
  #facts: ConfigFacts | undefined;
  #hub: EventHub | undefined;

  constructor(
    private readonly ctx: RuntimeContext,
    private readonly options: CriRuntimeOptions,
    home: string | undefined,
  ) {
    const { clock, rootDir } = ctx;
    const { endpoint, imageEndpoint = endpoint, dockerConfig } = options;
    this.#client = new GrpcClient(endpoint, clock);
    this.#imageClient = imageEndpoint === endpoint ? this.#client : new GrpcClient(imageEndpoint, clock);
    this.#calls = new Calls(this.#client, this.#imageClient, options);
    this.#sandboxes = new CriSandboxes(this.#calls, this.#known, clock);
    this.#containers = new CriContainers(this.#calls, this.#known, clock);
    const credentialFiles = dockerConfigFiles(rootDir, home, dockerConfig);
    this.#images = new CriImages(this.#calls, credentialFiles, options.featureGates.RuntimeClassInImageCriApi);
  }

  async start(): Promise<void> {
    const { clock, log } = this.ctx;
    this.#version = await connectTo(this.options.endpoint, this.#calls, this.ctx);
    const ports = { clock, client: this.#client, calls: this.#calls, known: this.#known };
    const source = await chooseEvents(ports, this.#version.runtimeName);
    if (source === undefined) {
      log.warn(`${this.#version.runtimeName} has no events that hooklet knows: its containers are listed every second`);
      return;
    }
    const hub = new EventHub(source, ports, {
      away: (error) => log.error(`The runtime does not answer: ${errorText(error)}`),
      back: () => log.info("The runtime answers again."),
      problem: (error) => log.warn(`an event of the runtime: ${errorText(error)}`),
    });
    this.#hub = hub;
    this.subscribe = (listener, gap) => hub.subscribe(listener, gap);
  }

  async info(): Promise<RuntimeInfo> {
    const version = this.#version ?? (await this.#calls.call("Version", {}).catch(rethrow));
    this.#facts ??= await configFacts(this.#calls);
    const { runtimeName, runtimeVersion, runtimeApiVersion } = version;
    const idPrefix = runtimeName.toLowerCase();
    const details = { endpoint: this.options.endpoint, events: this.#hub !== undefined };
    return {
      runtimeName,
      runtimeVersion,
      runtimeApiVersion,
      idPrefix,
      isolation: isolationFacts,
      details,
      ...this.#facts,
    };
  }

  async health(): Promise<string | undefined> {
    try {
      const { status } = await this.#calls.call("Status", {});
      return healthText(status?.conditions ?? []);
    } catch (error) {
      return `container runtime is down: ${errorText(plain(error))}`;
    }
  }

  runSandbox(config: SandboxConfig, signal?: AbortSignal): Promise<string> {
    return this.#sandboxes.run(config, signal);
  }

  stopSandbox(id: string): Promise<void> {
    return this.#sandboxes.stop(id);
  }

  removeSandbox(id: string): Promise<void> {
    return this.#sandboxes.remove(id);
  }

  listSandboxes(filter: { readonly podUid?: string } = {}): Promise<readonly Sandbox[]> {
    return this.#sandboxes.list(filter.podUid);
  }

  sandboxStatus(id: string): Promise<SandboxStatus> {
    return this.#sandboxes.status(id);
  }

  createContainer(
    sandboxId: string,
    config: ContainerConfig,
    sandbox: SandboxConfig,
    signal?: AbortSignal,
  ): Promise<string> {
    const [device] = config.cdiDevices;
    if (device !== undefined && this.#version !== undefined && !knowsCdi(this.#version)) {
      const { runtimeName, runtimeVersion } = this.#version;
      const text = `${runtimeName} ${runtimeVersion} knows no CDI devices (${device}): upgrade it, containerd to 1.7 or later`;
      return Promise.reject(new RuntimeError("unimplemented", text));
    }
    return this.#containers.create(sandboxId, config, sandbox, signal);
  }

  startContainer(id: string): Promise<void> {
    return this.#containers.start(id);
  }

  stopContainer(id: string, gracePeriodSeconds: number): Promise<void> {
    return this.#containers.stop(id, gracePeriodSeconds);
  }

  removeContainer(id: string): Promise<void> {
    return this.#containers.remove(id);
  }

  listContainers(
    filter: { readonly podUid?: string; readonly sandboxId?: string } = {},
  ): Promise<readonly RuntimeContainer[]> {
    return this.#containers.list(filter);
  }

  containerStatus(id: string): Promise<ContainerStatus> {
    return this.#containers.status(id);
  }

  updateContainerResources(id: string, resources: LinuxContainerResources): Promise<void> {
    return this.#containers.update(id, resources);
  }

  execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult> {
    return this.#containers.execSync(id, command, timeoutSeconds);
  }

  async exec(
    id: string,
    options: ExecOptions,
    output: (stream: "stdout" | "stderr", data: Buffer) => void,
  ): Promise<InteractiveExec> {
    const { command, tty, stdin, signal } = options;
    const request = { containerId: id, cmd: command, tty, stdin, stdout: true, stderr: !tty };
    const { url } = await this.#calls.call("Exec", request).catch(rethrow);
    // The runtime starts it once its server is reached.
    if (signal?.aborted) {
      throw new RuntimeError("failed-precondition", `${command[0]} was not started: its client has left`);
    }
    return interactiveExec(url, { tty, stdin }, this.ctx.clock, output);
  }

  async streamUrl(request: StreamRequest): Promise<string> {
    const answer = ({ tty, stdin, stdout, stderr }: StreamParts) => ({ tty, stdin, stdout, stderr: stderr && !tty });
    const call =
      request.kind === "portForward"
        ? this.#calls.call("PortForward", { podSandboxId: request.sandboxId, port: request.ports })
        : request.kind === "attach"
          ? this.#calls.call("Attach", { containerId: request.containerId, ...answer(request) })
          : this.#calls.call("Exec", { containerId: request.containerId, cmd: request.command, ...answer(request) });
    return serverUrl((await call.catch(rethrow)).url).href;
  }

  async portForward(sandboxId: string, port: number): Promise<Duplex> {
    const { url } = await this.#calls.call("PortForward", { podSandboxId: sandboxId, port: [port] }).catch(rethrow);
    return forwardedPort(url, port, this.ctx.clock);
  }

  imageStatus(image: string, runtimeHandler?: string): Promise<Image | undefined> {
    return this.#images.status(image, runtimeHandler);
  }

  listImages(): Promise<readonly Image[]> {
    return this.#images.list();
  }

  pullImage(
    image: string,
    signal?: AbortSignal,
    credentials?: PullCredentials,
    runtimeHandler?: string,
  ): Promise<string> {
    return this.#images.pull(image, signal, credentials, runtimeHandler);
  }

  removeImage(image: string, runtimeHandler?: string): Promise<void> {
    return this.#images.remove(image, runtimeHandler);
  }

  imageFsInfo(): Promise<ImageFsInfo> {
    return this.#images.fsInfo();
  }

  async listContainerStats(): Promise<readonly ContainerStats[]> {
    const { stats } = await this.#calls.call("ListContainerStats", {}).catch(rethrow);
    return stats.map(toStats);
  }

  reopenContainerLog(id: string): Promise<void> {
    return this.#containers.reopenLog(id);
  }

  async close(): Promise<void> {
    this.#hub?.close();
    this.#client.close();
    this.#imageClient.close();
  }
}
