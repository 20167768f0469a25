/** Performs one step of a pod's life. The pure decisions are in decide.ts. */

import type { Runtime } from "@hooklet/cri-api";
import { allContainers, initContainers, type Pod, runnableContainers } from "@hooklet/manifest";
import type { Earlier } from "../../admission/queue.js";
import { reportedRejection } from "../../admission/reasons.js";
import type { NodeHooks } from "../../hooks/hooks.js";
import type { AdmissionVerdict, Postponement } from "../../hooks/verdict.js";
import type { ImageManager } from "../../images/ensure-image.js";
import type { PodMetrics } from "../../metrics/pod-metrics.js";
import { needsNewSandbox, type Step } from "../decide.js";
import type { ContainerState, PodEvent, PodState } from "../state.js";
import { deadlineMessage } from "../status/pod-status.js";
import type { Ending } from "../status/termination-progress.js";
import { callAll, type EndingPorts, EndingSteps } from "./ending-steps.js";
import { killContainer } from "./kill.js";
import { isSandboxReady } from "./observe.js";
import type { PodNode } from "./pod-node.js";
import { type ResetPorts, resetContainers } from "./reset.js";
import { type SandboxPorts, SandboxSteps } from "./sandbox-steps.js";
import { type StartPorts, startContainer } from "./start/start.js";
import type { PodVolumes } from "./volumes.js";

/** What the steps of a pod's life need from the rest of the agent; tests inject their own. */
export interface StepPorts extends SandboxPorts, StartPorts, EndingPorts, Pick<ResetPorts, "removeKeepingLog"> {
  readonly runtime: Runtime;
  readonly metrics: PodMetrics;
  readonly hooks: NodeHooks;
  readonly node: PodNode;
  readonly volumes: PodVolumes;
  readonly images: ImageManager;
  /** Asks the node for its verdict; one pod at a time. */
  admit(pod: Pod, earlier: Earlier, signal: AbortSignal): Promise<AdmissionVerdict>;
}

export interface StepContext {
  readonly ports: StepPorts;
  readonly state: () => PodState;
  readonly dispatch: (event: PodEvent) => void;
  readonly refresh: (containerId: string) => Promise<void>;
  /** What is left of the life of the agent before this one: `running` of its containers still do. */
  readonly earlier: () => Earlier;
  /** Aborted when the pod is to be stopped or the agent goes. */
  readonly signal: () => AbortSignal;
  /** Resolves once the grace period of the pod that is being stopped is shortened. */
  readonly shortened: () => Promise<"shortened">;
}

export class StepRunner {
  readonly #sandbox: SandboxSteps;
  readonly #ending: EndingSteps;
  /** A sandbox or a container was being made when the pod was to stop. */
  #cut = false;

  constructor(private readonly context: StepContext) {
    this.#sandbox = new SandboxSteps(context);
    this.#ending = new EndingSteps(context);
  }

  /** How far the end of the pod has come. */
  get ending(): Ending | undefined {
    return this.#ending.at;
  }

  /** Returns milliseconds to wait before the next decision, or nothing. Rejects on an unexpected error. */
  async perform(step: Exclude<Step, { do: "wait" }>): Promise<number | undefined> {
    switch (step.do) {
      case "admit":
        return this.#admit();
      case "createSandbox":
        return this.#sandboxStep(() => this.#sandbox.create(step.attempt));
      case "prepareSandbox":
        return this.#sandboxStep(() => this.#sandbox.prepare(step.attempt));
      case "replaceSandbox":
        return this.#replaceSandbox(step.id);
      case "startContainer":
        return this.#startContainer(step.container);
      case "killContainer":
        return this.#killContainer(step.container);
      case "resetContainers":
        return resetContainers(this.context);
      case "exceedDeadline":
        return this.#exceedDeadline();
      case "complete":
        return this.#terminate({ kind: "completed" });
      case "terminate":
        return this.#ending.stop(this.#cut);
      case "remove":
        return this.#ending.remove();
    }
  }

  get #pod() {
    return this.context.state().pod;
  }

  async #admit(): Promise<undefined> {
    const { ports, dispatch, signal } = this.context;
    const verdict = await ports.admit(this.#pod, this.context.earlier(), signal());
    const isPending = this.context.state().life.kind === "pending";
    // The agent stops: a verdict that was cut short says nothing about the pod, and the next agent admits it again.
    if (signal().aborted && isPending) return;
    if (verdict.postponement !== undefined) {
      if (isPending) this.#postpone(verdict.postponement);
      return;
    }
    if (verdict.admitted) {
      this.#sandbox.admitted(verdict.sandboxSteps);
      if (isPending) dispatch({ type: "admitted" });
      else await callAll(ports, "undo of podAdmit", verdict.undos());
      return;
    }
    if (!isPending) return;
    const { reason, message } = reportedRejection(verdict.rejections);
    ports.metrics.rejectedPod(reason);
    ports.events.pod(this.#pod, "Warning", reason, message);
    dispatch({ type: "rejected", reason, message, at: ports.clock.now() });
  }

  #postpone({ reason, message, retryAfterSeconds }: Postponement): void {
    const { ports, dispatch, state } = this.context;
    const { life } = state();
    const isReported =
      life.kind === "pending" && life.postponed?.reason === reason && life.postponed.message === message;
    if (!isReported) ports.events.pod(this.#pod, "Normal", reason, message);
    dispatch({ type: "postponed", reason, message, notBefore: ports.clock.monotonic() + retryAfterSeconds * 1000 });
  }

  async #sandboxStep(work: () => Promise<void>): Promise<undefined> {
    await work();
    if (this.context.signal().aborted) this.#cut = true;
  }

  async #replaceSandbox(id: string): Promise<undefined> {
    const { ports, dispatch, state } = this.context;
    const hasRun = Object.values(state().containers).some((container) => container.kind !== "waiting");
    if (hasRun && needsNewSandbox(state())) {
      ports.events.pod(this.#pod, "Normal", "SandboxChanged", "Pod sandbox changed, it will be killed and re-created.");
    }
    await ports.runtime.stopSandbox(id);
    for (const container of await ports.runtime.listContainers({ sandboxId: id }))
      await this.context.refresh(container.id);
    dispatch({ type: "sandboxStopped" });
  }

  async #startContainer(name: string): Promise<undefined> {
    const { ports, state, dispatch, signal } = this.context;
    const container = runnableContainers(this.#pod).find((own) => own.name === name);
    const { sandbox } = state();
    if (container === undefined || sandbox.kind !== "ready") return;
    const config = await this.#sandbox.config(sandbox.attempt);
    if (isRetry(state().containers[name]) && (await this.#sandboxDied(sandbox.id, sandbox.attempt))) return;
    await startContainer({ ports, state, dispatch, sandboxConfig: config, signal: signal() }, container);
    if (signal().aborted) this.#cut = true;
    this.#reportStarted();
  }

  /** A container often ends because its sandbox did: better seen before the next one is put into it. */
  async #sandboxDied(id: string, attempt: number): Promise<boolean> {
    const { ports, dispatch } = this.context;
    if (await isSandboxReady(ports.runtime, id)) return false;
    dispatch({ type: "sandboxDead", id, attempt });
    return true;
  }

  #startedReported = false;

  #reportStarted(): void {
    const { ports, state } = this.context;
    const running = Object.values(state().containers).filter((container) => container.kind === "running").length;
    if (this.#startedReported || running < allContainers(this.#pod).length - initContainers(this.#pod).length) return;
    this.#startedReported = true;
    ports.metrics.podStarted((ports.clock.now() - state().startTime) / 1000);
  }

  async #killContainer(name: string): Promise<undefined> {
    const { ports, state, refresh } = this.context;
    const current = state().containers[name];
    const container = runnableContainers(this.#pod).find((own) => own.name === name);
    if (container === undefined || current?.kind !== "running" || current.kill === undefined) return;
    const { sandbox } = state();
    await killContainer(ports, {
      pod: this.#pod,
      container,
      containerId: current.id,
      podIp: (sandbox.kind === "ready" ? sandbox.ips[0] : undefined) ?? ports.node.ip,
      ...current.kill,
    });
    await refresh(current.id);
  }

  async #exceedDeadline(): Promise<undefined> {
    this.context.ports.events.pod(this.#pod, "Normal", "DeadlineExceeded", deadlineMessage);
    return this.#terminate({ kind: "deadline" });
  }

  #terminate(cause: { readonly kind: "completed" | "deadline" }): undefined {
    this.context.dispatch({ type: "terminate", cause, at: this.context.ports.clock.now() });
  }
}

function isRetry(container: ContainerState | undefined): boolean {
  return container?.kind === "exited" || (container?.kind === "waiting" && container.failures !== undefined);
}
