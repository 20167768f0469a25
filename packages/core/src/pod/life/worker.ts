/**
 * The serial worker of one pod: asks `decide` for the next step, performs it, and feeds the outcome back as events.
 * Events from outside change the state at once; the step under way sees an aborted signal when the pod is to stop.
 */
import { isDeepStrictEqual } from "node:util";
import type { ContainerStatus, RuntimeEvent } from "@hooklet/cri-api";
import { allContainers, ephemeralContainers, initContainers, type Pod, podText } from "@hooklet/manifest";
import { agentStopping, backOffUntil, deepFreeze, errorText, type Timer } from "@hooklet/utils";
import { decide, restarts, type Step } from "../decide.js";
import { grace } from "../grace.js";
import { handling } from "../handling.js";
import { next } from "../next.js";
import { isRestartingAll, policyOf } from "../restart.js";
import { type ContainerState, initialState, type PodEvent, type PodState } from "../state.js";
import { crashLoopMessage } from "../status/container-status.js";
import { podStatus, withStatus } from "../status/pod-status.js";
import type { PodStatus } from "../status/status-types.js";
import type { Ending } from "../status/termination-progress.js";
import { isSandboxReady, observation } from "./observe.js";
import { type StepPorts, StepRunner } from "./steps.js";

export interface WorkerOptions {
  readonly pod: Pod;
  readonly ports: StepPorts;
  readonly idPrefix: string;
  /** Milliseconds since the epoch: when the agent, in whichever life, took the pod. */
  readonly startTime: number;
  readonly onChange: (worker: PodWorker) => void;
  readonly onGone: (worker: PodWorker) => void;
}

export class PodWorker {
  readonly #options: WorkerOptions;
  readonly #steps: StepRunner;
  #state: PodState;
  #status: PodStatus;
  #shown: Pod | undefined;
  #wake: (() => void) | undefined;
  #woken = false;
  #detached = false;
  #stop = new AbortController();
  #shorten: () => void = () => undefined;
  #done: Promise<void> | undefined;
  #earlier: readonly ContainerStatus[] | undefined;
  /** Containers whose status is being read. */
  readonly #asked = new Map<string, Promise<void>>();
  /** Takes over what is not taken over yet. */
  #takeOver: (() => Promise<readonly ContainerStatus[]>) | undefined;

  constructor(options: WorkerOptions) {
    const { pod, ports, startTime } = options;
    this.#options = options;
    const ago = Math.max(0, ports.clock.now() - startTime);
    this.#state = initialState(pod, startTime, ports.clock.monotonic() - ago);
    this.#status = this.#statusNow();
    this.#steps = new StepRunner({
      ports,
      state: () => this.#state,
      dispatch: (event) => this.dispatch(event),
      refresh: (containerId) => this.refresh(containerId),
      earlier: () => ({ running: this.#running(), isTakenOver: this.#earlier !== undefined }),
      signal: () => this.#stop.signal,
      shortened: () =>
        new Promise((resolve) => {
          this.#shorten = () => resolve("shortened");
        }),
    });
  }

  get state(): PodState {
    return this.#state;
  }

  get pod(): Pod {
    return this.#state.pod;
  }

  /** False for a pod that is taken over, until it is admitted, or stopped. */
  get isReported(): boolean {
    return this.#earlier === undefined || this.#state.life.kind !== "pending";
  }

  /**
   * Takes over what an earlier life of the agent left of the pod: `take` resolves with its containers. When that fails the worker tries
   * it again and does nothing else for the pod but to admit or to stop it: it would start again what runs already.
   */
  async takeOver(take: () => Promise<readonly ContainerStatus[]>): Promise<void> {
    this.#earlier ??= [];
    this.#takeOver = take;
    this.#earlier = await take();
    this.#takeOver = undefined;
  }

  /** Containers of an earlier life of the agent that run still. */
  #running(): readonly ContainerStatus[] {
    return (this.#earlier ?? []).filter(({ id, metadata }) => {
      const container = this.#state.containers[metadata.name];
      return container?.kind === "running" && container.id === id;
    });
  }

  /** How far its end has come. */
  get ending(): Ending | undefined {
    return this.#steps.ending;
  }

  /** The pod with its status, as the API shows it. The same object as long as nothing changed. */
  get shown(): Pod {
    this.#shown ??= withStatus(this.#state, this.#status);
    return deepFreeze(this.#shown);
  }

  /** Starts working; once. */
  start(): void {
    this.#done ??= handling(this.pod.metadata.uid, () => this.#loop());
  }

  /** Ends the work without stopping the pod: the agent goes. Resolves when the step under way has ended. */
  async detach(): Promise<void> {
    this.#detached = true;
    this.#stop.abort(agentStopping());
    this.#wakeUp();
    await this.#done;
  }

  dispatch(event: PodEvent): void {
    const before = this.#state;
    const after = next(before, event);
    if (after === before) return;
    this.#state = after;
    if (before.life.kind !== "terminating" && after.life.kind === "terminating") {
      this.#stop.abort(new Error(`pod ${podText(this.pod)} is being stopped`));
    }
    if (before.life.kind === "terminating" && after.life.kind === "terminating" && grace(after) < grace(before)) {
      this.#shorten();
    }
    if (event.type === "observed") {
      this.#countEnd(event.container, before.containers[event.container], after.containers[event.container]);
      this.#reportBackOff(event.container);
    }
    // An error in publishing the status does not stop the pod.
    this.#wakeUp();
    this.#guarded("status", () => this.#renew());
    this.#guarded("change", () => this.#options.onChange(this));
  }

  #guarded(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.ports.report(`${what} of pod ${podText(this.pod)}`, error);
    }
  }

  /** Asks the runtime how a container is, and takes it in. */
  async refresh(containerId: string): Promise<void> {
    const asked = this.#ask(containerId);
    this.#asked.set(containerId, asked);
    try {
      await asked;
    } finally {
      if (this.#asked.get(containerId) === asked) this.#asked.delete(containerId);
    }
  }

  /** As `refresh`, for a container that is reported as ended: a stop under way reads the status already, and its answer is enough. */
  async refreshEnded(containerId: string): Promise<void> {
    await (this.#asked.get(containerId) ?? this.refresh(containerId));
  }

  async #ask(containerId: string): Promise<void> {
    const { ports } = this.#options;
    const status = await ports.runtime.containerStatus(containerId);
    await this.take(status);
  }

  /** Who starts or stops a container needs no news of it. */
  knows({ containerId, type }: RuntimeEvent): boolean {
    return Object.values(this.#state.containers).some((container) => {
      if (type === "CONTAINER_STARTED") {
        return container.kind === "starting" || (container.kind === "running" && container.id === containerId);
      }
      return type === "CONTAINER_STOPPED" && container.kind === "exited" && container.exit.id === containerId;
    });
  }

  /** As far as is known. */
  isRunning(containerId: string): boolean {
    return Object.values(this.#state.containers).some(
      (container) => container.kind === "running" && container.id === containerId,
    );
  }

  /** Asks the runtime whether the sandbox still is one. */
  async checkSandbox(): Promise<void> {
    const { sandbox, life } = this.#state;
    // Stopping a pod stops its sandbox.
    if (life.kind === "terminating" || life.kind === "ended") return;
    if (sandbox.kind !== "ready" || (await isSandboxReady(this.#options.ports.runtime, sandbox.id))) return;
    this.dispatch({ type: "sandboxDead", id: sandbox.id, attempt: sandbox.attempt });
  }

  async take(status: ContainerStatus): Promise<void> {
    const { sandbox } = this.#state;
    const sandboxId = sandbox.kind === "ready" ? { sandboxId: sandbox.id } : {};
    const seen = await observation(this.#options.ports, this.pod, status, sandboxId);
    if (seen !== undefined) this.dispatch({ type: "observed", container: status.metadata.name, observation: seen });
  }

  /** Half of all steps do not change the status. */
  #renew(): void {
    const status = this.#statusNow();
    const shown = withStatus(this.#state, status);
    if (isDeepStrictEqual(shown, this.#shown)) return;
    this.#status = status;
    this.#shown = shown;
  }

  #statusNow(): PodStatus {
    const { ports, idPrefix } = this.#options;
    return podStatus(this.#state, {
      idPrefix,
      now: ports.clock.monotonic(),
      wall: ports.clock.now(),
      nodeIp: ports.node.ip,
      recursiveReadOnly: ports.volumes.canReadOnlyRecursively(this.#state.pod),
      ...(this.#status === undefined ? {} : { previous: this.#status }),
    });
  }

  /** What had ended before this life of the agent was counted in the other one. */
  #countEnd(name: string, before: ContainerState | undefined, after: ContainerState | undefined): void {
    if (after?.kind !== "exited" || (before?.kind !== "running" && before?.kind !== "starting")) return;
    const { exitCode, reason } = after.exit;
    const container = ephemeralContainers(this.pod).find((own) => own.name === name);
    const isInit = initContainers(this.pod).some((own) => own.name === name);
    const type = container !== undefined ? "ephemeral_container" : isInit ? "init_container" : "container";
    this.#options.ports.metrics.terminatedContainer(type, exitCode, reason);
  }

  #reportBackOff(name: string): void {
    const { ports } = this.#options;
    const current = this.#state.containers[name];
    const container = allContainers(this.pod).find((own) => own.name === name);
    if (container === undefined || current?.kind !== "exited" || this.#state.life.kind !== "active") return;
    if (!restarts(current, policyOf(this.#state, container)) || isRestartingAll(this.#state)) return;
    const backOff = this.#state.backOffs[name];
    if (backOff === undefined || backOffUntil(backOff, current.exit.seen) <= ports.clock.monotonic()) return;
    const text = `Back-off restarting failed container ${name} in pod ${podText(this.pod)}`;
    ports.events.pod(this.pod, "Warning", "BackOff", text, name);
    ports.log.debug({ pod: this.pod.metadata.name }, crashLoopMessage(this.#state, name));
  }

  async #loop(): Promise<void> {
    while (!this.#detached) {
      if (this.#state.life.kind === "gone") break;
      await this.#work();
    }
    if (!this.#detached) this.#guarded("end", () => this.#options.onGone(this));
  }

  /** One decision and what follows from it. What fails costs this pod a pause, and no other pod anything. */
  async #work(): Promise<void> {
    let doing = "decide";
    try {
      const step = decide(this.#state, this.#options.ports.clock.monotonic());
      const take = step.do === "admit" || this.#state.life.kind === "terminating" ? undefined : this.#takeOver;
      doing = take === undefined ? step.do : "takeOver";
      if (take !== undefined) await this.takeOver(take);
      else if (step.do === "wait") await this.#sleep(step.until);
      else await this.#perform(step);
    } catch (error) {
      await this.#failed(doing, error);
    }
  }

  async #perform(step: Exclude<Step, { do: "wait" }>): Promise<void> {
    const pause = await this.#steps.perform(step);
    if (pause !== undefined) await this.#pause(pause);
  }

  async #failed(step: string, error: unknown): Promise<void> {
    const { ports } = this.#options;
    ports.log.error({ pod: podText(this.pod), step, err: error }, `step ${step} failed: ${errorText(error)}`);
    ports.events.pod(this.pod, "Warning", "FailedSync", `error determining status: ${errorText(error)}`);
    await this.#pause(STEP_RETRY);
  }

  /** Waits for the milliseconds, whatever else happens. */
  async #pause(milliseconds: number): Promise<void> {
    const until = this.#options.ports.clock.monotonic() + milliseconds;
    while (!this.#detached && this.#options.ports.clock.monotonic() < until) await this.#sleep(until);
  }

  async #sleep(until: number | undefined): Promise<void> {
    if (this.#woken) {
      this.#woken = false;
      return;
    }
    const { clock } = this.#options.ports;
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (until !== undefined) timer = clock.schedule(until - clock.monotonic(), resolve);
    });
    timer?.cancel();
    this.#wake = undefined;
    this.#woken = false;
  }

  #wakeUp(): void {
    this.#woken = true;
    this.#wake?.();
  }
}

/** Milliseconds before a step that failed unexpectedly is tried again: the kubelet's workers' back-off. */
const STEP_RETRY = 10_000;
