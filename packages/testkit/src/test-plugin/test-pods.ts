import {
  type AllocatedResourceStatus,
  type AppliedResources,
  allContainers,
  type Container,
  type ContainerRef,
  type ContainerStatus,
  type Eviction,
  isSidecar,
  millisecondsOf,
  NodeAgentError,
  type NodeView,
  type Pod,
  type PodCondition,
  type PodsPort,
  type RestartRequest,
  type TerminationCause,
} from "@hooklet/core";
import {
  AdmissionVerdict,
  ContainerPlanBuilder,
  deepFreeze,
  type NodeHooks,
  type SandboxConfig,
  SandboxPlanBuilder,
} from "@hooklet/core/host";
import { containerConfig, sandboxConfigOf } from "../runtime-suite/configs.js";
import type { SimulatedRuntime } from "../simulated-runtime.js";
import type { PodRequest } from "./records.js";
import { type RunningContainer, type RunningParts, runningStatus } from "./running-status.js";

interface RunningPod extends RunningParts {
  readonly pod: Pod;
  readonly sandbox: SandboxConfig;
  readonly sandboxId: string;
  readonly containers: Map<string, RunningContainer>;
  readonly conditions: Map<string, PodCondition>;
  /** With its status; made anew after a change. */
  shown?: Pod;
}

/**
 * Pods beside one plugin: admitted, started and terminated through the hooks, run by the simulated runtime. Smaller than
 * the core's: a container that ends is not started again, and what the plugin asks for is done and written down.
 */
export class TestPods implements PodsPort {
  readonly requests: PodRequest[] = [];
  readonly #pods = new Map<string, RunningPod>();
  readonly #runtime: SimulatedRuntime;
  readonly #watchers = new Set<(uid: string, pod: Pod | undefined) => void>();
  readonly #updaters: ((before: Pod, after: Pod) => boolean)[] = [];
  #stop = new AbortController();
  #hooks: NodeHooks | undefined;

  constructor(runtime: SimulatedRuntime) {
    this.#runtime = runtime;
  }

  /** From now on pods come and go through these hooks. */
  connect(hooks: NodeHooks): void {
    this.#hooks = hooks;
    this.#stop = new AbortController();
  }

  /** From now on pods come and go beside any plugin; calls of hooks that wait are aborted. */
  disconnect(): void {
    this.#hooks = undefined;
    this.#watchers.clear();
    this.#updaters.length = 0;
    this.#stop.abort(new NodeAgentError("AGENT_STOPPING", "the agent stops"));
  }

  list(): readonly Pod[] {
    return [...this.#pods.values()].map(shown);
  }

  sourcesReady(): boolean {
    return true;
  }

  active(): readonly Pod[] {
    return this.list();
  }

  /** Pods beside one plugin have no source that could be silent. */
  awaited(): readonly Pod[] {
    return [];
  }

  get(uid: string): Pod | undefined {
    const running = this.#pods.get(uid);
    return running === undefined ? undefined : shown(running);
  }

  volumeDirectories() {
    return [];
  }

  /** Pods beside one plugin have nothing on a disk. */
  async directories(): Promise<readonly string[]> {
    return [];
  }

  async directory(uid: string): Promise<never> {
    throw new Error(`pods beside one plugin have nothing on a disk, expected no question for ${uid}`);
  }

  async removeDirectory(): Promise<void> {}

  running(ref: ContainerRef) {
    return this.#pods.get(ref.podUid)?.containers.get(ref.container);
  }

  async evict(uid: string, eviction: Eviction): Promise<void> {
    this.requests.push({ kind: "evict", uid, eviction });
    const { reason, message } = eviction;
    await this.terminate(uid, { kind: "evicted", by: "plugin", reason, message }, eviction.gracePeriodSeconds);
  }

  setContainerReady(ref: ContainerRef, value: boolean): void {
    this.requests.push({ kind: "ready", ref, value });
    this.#said(ref, { ready: value });
  }

  setContainerStarted(ref: ContainerRef, value: boolean): void {
    this.requests.push({ kind: "started", ref, value });
    this.#said(ref, { started: value });
  }

  setAppliedResources(ref: ContainerRef, resources: AppliedResources | undefined): void {
    this.requests.push({ kind: "applied", ref, resources });
  }

  setAllocatedResourcesStatus(ref: ContainerRef, status: readonly AllocatedResourceStatus[]): void {
    this.requests.push({ kind: "allocated", ref, status });
  }

  setCondition(uid: string, type: string, condition: PodCondition | undefined): void {
    this.requests.push({ kind: "condition", uid, type, condition });
    const running = this.#pods.get(uid);
    if (condition === undefined) running?.conditions.delete(type);
    else running?.conditions.set(type, condition);
    delete running?.shown;
  }

  watch(listener: (uid: string, pod: Pod | undefined) => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  onUpdate(applies: (before: Pod, after: Pod) => boolean): void {
    this.#updaters.push(applies);
  }

  /** Asks the plugin to apply another spec to a pod that runs; true when it did, and the pod goes on under it. */
  update(source: Pod): boolean {
    const pod = deepFreeze(structuredClone(source));
    const running = this.#pods.get(pod.metadata.uid);
    if (running === undefined || !this.#updaters.some((applies) => applies(running.pod, pod))) return false;
    const { shown: _, ...same } = running;
    this.#pods.set(pod.metadata.uid, { ...same, pod });
    this.#changed(pod.metadata.uid);
    return true;
  }

  #said({ podUid, container }: ContainerRef, said: Partial<Pick<RunningContainer, "ready" | "started">>): void {
    const running = this.#pods.get(podUid);
    const before = running?.containers.get(container);
    if (running === undefined || before === undefined) return;
    running.containers.set(container, { ...before, ...said });
    delete running.shown;
  }

  #changed(uid: string): void {
    for (const watcher of this.#watchers) watcher(uid, this.get(uid));
  }

  restartContainer(ref: ContainerRef, restart: RestartRequest): void {
    this.requests.push({ kind: "restart", ref, restart });
  }

  /**
   * Admits the pod and, unless it is rejected, starts its containers in order. Init containers are run beside the others.
   * Rejects where the core would try again: when a `beforeSandbox` or a `containerStart` tap fails.
   */
  async run(source: Pod): Promise<AdmissionVerdict> {
    const pod = deepFreeze(structuredClone(source));
    const { signal } = this.#stop;
    const admitted = AdmissionVerdict.admitted();
    const otherPods = Object.freeze([...this.active()]);
    const verdict = this.#hooks
      ? await this.#hooks.podAdmit.promise(
          admitted,
          Object.freeze({ pod, otherPods, running: Object.freeze([]), isTakenOver: false, signal }),
        )
      : admitted;
    if (!verdict.admitted) {
      for (const undo of verdict.undos()) await undo();
      return verdict;
    }
    const sandbox = await this.#sandbox(pod, verdict);
    const sandboxId = await this.#runtime.runSandbox(sandbox);
    const { ips, createdAt } = await this.#runtime.sandboxStatus(sandboxId);
    const startTime = millisecondsOf(createdAt);
    const running: RunningPod = {
      pod,
      sandbox,
      sandboxId,
      ips,
      startTime,
      containers: new Map(),
      conditions: new Map(),
    };
    this.#pods.set(pod.metadata.uid, running);
    for (const container of allContainers(pod)) {
      await this.#start(running, container);
    }
    this.#changed(pod.metadata.uid);
    return verdict;
  }

  /** Stops the pod; nothing happens when there is none. */
  async terminate(uid: string, cause: TerminationCause, gracePeriodSeconds?: number): Promise<void> {
    const running = this.#pods.get(uid);
    if (running === undefined) return;
    const { sandboxId } = running;
    const pod = shown(running);
    const grace = gracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
    const afterStop: (() => void | Promise<void>)[] = [];
    const event = { pod, cause, gracePeriodSeconds: grace, afterStop: (run: () => void) => void afterStop.push(run) };
    await this.#hooks?.podTerminate.promise(Object.freeze(event));
    for (const { containerId } of running.containers.values()) await this.#runtime.stopContainer(containerId, grace);
    await this.#runtime.stopSandbox(sandboxId);
    await this.#runtime.removeSandbox(sandboxId);
    this.#pods.delete(uid);
    this.#changed(uid);
    for (const run of afterStop) await run();
  }

  /** What runs now, as a plugin's `open` gets it. */
  async view(): Promise<NodeView> {
    const containers: ContainerStatus[] = [];
    for (const { id } of await this.#runtime.listContainers()) containers.push(await this.#runtime.containerStatus(id));
    return { pods: this.list(), sandboxes: await this.#runtime.listSandboxes(), containers };
  }

  /** The pod's sandbox with what plugins add to it. */
  async #sandbox(pod: Pod, verdict: AdmissionVerdict): Promise<SandboxConfig> {
    const builder = new SandboxPlanBuilder({ pod, attempt: 0, exists: false });
    for (const step of verdict.sandboxSteps) await step(builder, this.#stop.signal);
    const { annotations, ...linux } = builder.result();
    const base = sandboxConfigOf(pod);
    return { ...base, annotations: { ...base.annotations, ...annotations }, linux: { ...base.linux, ...linux } };
  }

  async #start(running: RunningPod, container: Container): Promise<void> {
    const { pod, sandbox, sandboxId } = running;
    const isMain = pod.spec.containers.includes(container);
    const kind = isMain ? "main" : isSidecar(container) ? "sidecar" : "init";
    const plan = new ContainerPlanBuilder({
      envs: (container.env ?? []).map(({ name, value }) => ({ key: name, value: value ?? "" })),
    });
    const event = { pod, container, kind, restartCount: 0, signal: this.#stop.signal } as const;
    await this.#hooks?.containerStart.promise(plan, Object.freeze(event));
    const { envs, mounts, devices, cdiDevices, annotations, resources, afterStart } = plan.result();
    const image = container.image ?? "";
    const imageId = await this.#runtime.pullImage(image);
    const program = { image, command: container.command ?? [] };
    const base = containerConfig(program, imageId, sandbox, { metadata: { name: container.name, attempt: 0 } });
    const config = {
      ...base,
      envs,
      mounts,
      devices,
      cdiDevices,
      args: container.args ?? [],
      annotations: { ...base.annotations, ...annotations },
      linux: { ...base.linux, resources },
    };
    const containerId = await this.#runtime.createContainer(sandboxId, config, sandbox);
    await this.#runtime.startContainer(containerId);
    const status = await this.#runtime.containerStatus(containerId);
    const startedAt = millisecondsOf(status.startedAt);
    const started = { podUid: pod.metadata.uid, container: container.name, containerId, restartCount: 0, startedAt };
    running.containers.set(container.name, { ...started, imageRef: status.imageRef, ready: true, started: true });
    delete running.shown;
    for (const { run } of afterStart) await run(Object.freeze(started));
  }
}

/** As the agent shows it to plugins. */
function shown(running: RunningPod): Pod {
  running.shown ??= deepFreeze({ ...running.pod, status: runningStatus(running.pod, running) });
  return running.shown;
}
