/** One step of a pod's life, done for real. Pure decisions are in decide.ts. */

import { allContainers, initContainers } from "@hooklet/manifest";
import { errorText } from "../../errors.js";
import { isRuntimeError } from "../../runtime/errors.js";
import type { PodObjects } from "../../runtime/shared-lists.js";
import type { Step } from "../decide.js";
import type { ContainerState, PodEvent, PodState } from "../state.js";
import { deadlineMessage } from "../status/pod-status.js";
import { killContainer } from "./kill.js";
import { isSandboxReady } from "./observe.js";
import type { PodLifePorts } from "./ports.js";
import { prune, removePod } from "./remove.js";
import { SandboxSteps } from "./sandbox-steps.js";
import { startContainer } from "./start.js";
import { type AfterStop, announce, stopAll } from "./terminate.js";

export interface StepContext {
  readonly ports: PodLifePorts;
  readonly state: () => PodState;
  readonly dispatch: (event: PodEvent) => void;
  readonly refresh: (containerId: string) => Promise<void>;
  /** Aborted when the pod is to be stopped or the agent goes. */
  readonly signal: () => AbortSignal;
  /** Resolves once the grace period of the pod that is being stopped is shortened. */
  readonly shortened: () => Promise<"shortened">;
}

/** Milliseconds between two tries to stop what would not stop. */
const STOP_RETRY = 10_000;
const UNAVAILABLE_RETRY = 1_000;

export class StepRunner {
  readonly #sandbox: SandboxSteps;
  #afterStop: readonly AfterStop[] | undefined;
  /** A sandbox or a container was being made when the pod was to stop. */
  #cut = false;
  #leftovers: PodObjects | undefined;

  constructor(private readonly context: StepContext) {
    this.#sandbox = new SandboxSteps(context);
  }

  /** Returns milliseconds to wait before the next decision, or nothing. Rejects on what nobody foresaw. */
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
      case "exceedDeadline":
        return this.#exceedDeadline();
      case "complete":
        return this.#terminate({ kind: "completed" });
      case "terminate":
        return this.#stop();
      case "remove":
        return this.#remove();
    }
  }

  get #pod() {
    return this.context.state().pod;
  }

  async #admit(): Promise<undefined> {
    const { ports, dispatch, signal } = this.context;
    const verdict = await ports.admit(this.#pod, signal());
    const rejection = verdict.rejections[0];
    if (rejection === undefined) {
      this.#sandbox.admitted(verdict.sandboxSteps);
      if (this.context.state().life.kind === "pending") dispatch({ type: "admitted" });
      else await this.#callAll("undo of podAdmit", verdict.undos());
      return;
    }
    const { reason, message } = rejection;
    ports.events.pod(this.#pod, "Warning", reason, message);
    dispatch({ type: "rejected", reason, message, at: ports.clock.now() });
  }

  /** Calls what plugins left behind; one that fails does not keep the others from being called. */
  async #callAll(what: string, calls: readonly (() => void | Promise<void>)[]): Promise<void> {
    for (const call of calls) {
      try {
        await call();
      } catch (error) {
        this.context.ports.report(what, error);
      }
    }
  }

  async #sandboxStep(work: () => Promise<void>): Promise<undefined> {
    await work();
    if (this.context.signal().aborted) this.#cut = true;
  }

  async #replaceSandbox(id: string): Promise<undefined> {
    const { ports, dispatch, state } = this.context;
    if (Object.values(state().containers).some((container) => container.kind !== "waiting")) {
      ports.events.pod(this.#pod, "Normal", "SandboxChanged", "Pod sandbox changed, it will be killed and re-created.");
    }
    await ports.runtime.stopSandbox(id);
    for (const container of await ports.runtime.listContainers({ sandboxId: id }))
      await this.context.refresh(container.id);
    dispatch({ type: "sandboxStopped" });
  }

  async #startContainer(name: string): Promise<undefined> {
    const { ports, state, dispatch, signal } = this.context;
    const container = allContainers(this.#pod).find((own) => own.name === name);
    const { sandbox } = state();
    if (container === undefined || sandbox.kind !== "ready") return;
    const config = await this.#sandbox.config(sandbox.attempt);
    const before = state().containers[name];
    if (isRetry(before) && (await this.#sandboxDied(sandbox.id, sandbox.attempt))) return;
    await startContainer({ ports, state, dispatch, sandboxConfig: config, signal: signal() }, container);
    if (signal().aborted) this.#cut = true;
    else if (before?.kind === "exited") await prune(ports, state());
    this.#tellStarted();
  }

  /** A container often ends because its sandbox did: better seen before the next one is put into it. */
  async #sandboxDied(id: string, attempt: number): Promise<boolean> {
    const { ports, dispatch } = this.context;
    if (await isSandboxReady(ports.runtime, id)) return false;
    dispatch({ type: "sandboxDead", id, attempt });
    return true;
  }

  #startedTold = false;

  #tellStarted(): void {
    const { ports, state } = this.context;
    const running = Object.values(state().containers).filter((container) => container.kind === "running").length;
    if (this.#startedTold || running < allContainers(this.#pod).length - initContainers(this.#pod).length) return;
    this.#startedTold = true;
    ports.metrics.podStarted((ports.clock.now() - state().startTime) / 1000);
  }

  async #killContainer(name: string): Promise<undefined> {
    const { ports, state, refresh } = this.context;
    const current = state().containers[name];
    const container = allContainers(this.#pod).find((own) => own.name === name);
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

  async #stop(): Promise<number | undefined> {
    const { ports, state, dispatch, refresh } = this.context;
    const { life } = state();
    if (life.kind !== "terminating") return;
    const began = ports.clock.monotonic();
    const termination = { state: state(), cause: life.cause, gone: refresh };
    if (life.cause.kind === "evicted" || life.cause.kind === "deadline") {
      await ports.remember(this.#pod.metadata.uid, life.cause);
    }
    this.#afterStop ??= await announce(ports, termination);
    try {
      const found = await Promise.race([stopAll(ports, termination), this.context.shortened()]);
      // What is under way goes on; the same is asked for once more with less time, and that one counts.
      if (found === "shortened") return;
      // What was cut off while it was made may still appear.
      this.#leftovers = this.#cut ? undefined : found;
    } catch (error) {
      if (isUnavailable(error)) return UNAVAILABLE_RETRY;
      ports.events.pod(this.#pod, "Warning", "FailedKillPod", `error killing pod: ${errorText(error)}`);
      return STOP_RETRY;
    }
    await this.#callAll("afterStop of podTerminate", this.#afterStop);
    ports.metrics.sync("kill", (ports.clock.monotonic() - began) / 1000);
    dispatch({ type: "stopped" });
  }

  async #remove(): Promise<number | undefined> {
    const { ports, dispatch } = this.context;
    try {
      await removePod(ports, this.#pod, this.#leftovers);
    } catch (error) {
      this.#leftovers = undefined;
      ports.log.warn({ pod: this.#pod.metadata.name }, `removing what is left of the pod failed: ${errorText(error)}`);
      return isUnavailable(error) ? UNAVAILABLE_RETRY : STOP_RETRY;
    }
    dispatch({ type: "removed" });
  }
}

function isRetry(container: ContainerState | undefined): boolean {
  return container?.kind === "exited" || (container?.kind === "waiting" && container.failures !== undefined);
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isUnavailable);
  return isRuntimeError(error, "unavailable");
}
