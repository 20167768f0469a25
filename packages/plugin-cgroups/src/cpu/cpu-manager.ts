/** The CPU manager at work: the policy with its state file, the pods and the runtime around it. */
import { join } from "node:path";
import {
  type AdmissionVerdict,
  allContainers,
  type Container,
  type ContainerPlan,
  type ContainerStartEvent,
  containerSubject,
  errorText,
  hasEnded,
  type NodeContext,
  type NodeView,
  type Pod,
  type PodAdmitEvent,
} from "@hooklet/core";
import { formatCpuList, parseCpuList } from "@hooklet/core/rules";
import type { AlignedResult, HintProvider, ResourceHints } from "@hooklet/core/subsystem";
import { openStateFile, type StateFile } from "@hooklet/linux";
import { type CpuCheckpoint, decodeCpuState, encodeCpuState } from "./checkpoint.js";
import type { CpuMetrics } from "./metrics.js";
import type { CpuManagerOptions } from "./options.js";
import { StaticPolicy } from "./policy.js";
import { readTopology } from "./read-topology.js";
import { adoptRunning, CPUS_ANNOTATION } from "./recovery.js";
import { Repinning } from "./repin.js";
import { type CpuAssignments, exclusiveCpus } from "./requests.js";

const POLICY = "static";
const STATE_FILE = "cpu_manager_state";

export class CpuManager implements CpuAssignments, HintProvider {
  readonly name = "cpu";
  readonly #file: StateFile<CpuCheckpoint>;
  readonly #repinning: Repinning;
  #policy: StaticPolicy | undefined;
  /** What is on disk is older than what is known. */
  #dirty = false;
  #damage: string | undefined;

  constructor(
    private readonly ctx: NodeContext,
    private readonly options: CpuManagerOptions,
    private readonly metrics: CpuMetrics,
  ) {
    const codec = {
      encode: ({ policyName, state }: CpuCheckpoint) => encodeCpuState(policyName, state),
      decode: (text: string) => this.#decode(text),
    };
    this.#file = openStateFile(join(ctx.node.rootDir, STATE_FILE), codec, {
      clock: ctx.clock,
      onDamaged: (path, aside, why) => {
        this.#damage = `${path} cannot be used (${why}): it was renamed to ${aside ?? "(it could not be moved)"}`;
      },
    });
    this.#repinning = new Repinning(ctx, (podUid, container) => this.cpusOf(podUid, container));
  }

  /** @throws NodeAgentError INVALID with the kubelet's message without a cpu reservation, or for one that this machine cannot satisfy */
  async open({ containers }: NodeView): Promise<void> {
    const { host, node } = this.ctx;
    const { cpuManagerPolicyOptions: wanted } = this.options;
    const { systemReserved, kubeReserved, reservedSystemCPUs } = node.reserved();
    this.#policy = new StaticPolicy({
      topology: readTopology(host.kernel, host.cpus),
      reservedMilliCpu: (systemReserved.cpu ?? 0) + (kubeReserved.cpu ?? 0),
      reservedCpus: parseCpuList(reservedSystemCPUs, "node.reservedSystemCPUs"),
      fullPhysicalCpusOnly: wanted["full-pcpus-only"] === "true",
      strictReservation: wanted["strict-cpu-reservation"] === "true",
    });
    await this.#file.read();
    if (this.#damage !== undefined) {
      const message = `${this.#damage}; the assignment of CPUs is rebuilt from running containers`;
      this.ctx.log.error(message);
      this.ctx.events.node("Warning", "CPUManagerStateCorrupt", message);
    }
    for (const problem of adoptRunning(this.policy, containers)) this.ctx.log.warn(problem);
    await this.#changed();
  }

  get policy(): StaticPolicy {
    if (this.#policy === undefined) throw new Error("the CPU manager was asked before it was opened");
    return this.#policy;
  }

  hasExclusive(podUid: string, container?: string): boolean {
    const { state } = this.policy;
    return container === undefined ? state.hasPod(podUid) : state.get(podUid, container) !== undefined;
  }

  cpusOf(podUid: string, container: string): string {
    return formatCpuList(this.policy.cpusOf(podUid, container));
  }

  exclusiveCpus(podUid: string, container: string): readonly number[] {
    return [...(this.policy.state.get(podUid, container) ?? [])];
  }

  allocatableCpus(): readonly number[] {
    return [...this.policy.allocatable];
  }

  containerHints(pod: Pod, container: Container): ReadonlyMap<string, ResourceHints> {
    this.#removeStale(pod.metadata.uid);
    return hintsOf(this.policy.containerHints(pod, container));
  }

  podHints(pod: Pod): ReadonlyMap<string, ResourceHints> {
    this.#removeStale(pod.metadata.uid);
    return hintsOf(this.policy.podHints(pod));
  }

  /** Called by the topology manager, and by the tap below for the rest. */
  async allocate(
    pod: Pod,
    container: Container,
    affinity: readonly number[] | undefined,
  ): Promise<AlignedResult | undefined> {
    if (exclusiveCpus(pod, container) === 0) return undefined;
    const { uid } = pod.metadata;
    this.#removeStale(uid);
    const had = this.hasExclusive(uid, container.name);
    const rejection = this.policy.allocate(pod, container, affinity);
    if (!had) this.metrics.requested(rejection !== undefined);
    if (rejection !== undefined) return { rejection };
    if (had) return undefined;
    this.#record(pod, container, affinity);
    await this.#changed();
    return { undo: () => this.free(uid) };
  }

  /** A tap of podAdmit, after the one that aligns: allocates what was not aligned. */
  async admit(verdict: AdmissionVerdict, { pod, running }: PodAdmitEvent): Promise<AdmissionVerdict> {
    if (!verdict.admitted) return verdict;
    for (const container of allContainers(pod)) {
      const result = await this.allocate(pod, container, undefined);
      if (result?.rejection !== undefined) {
        // A running pod continues in the shared pool.
        if (running.length === 0) return verdict.reject(result.rejection);
        this.ctx.log.warn(`container ${container.name} of pod ${pod.metadata.uid}: ${result.rejection.message}`);
      }
      if (result?.undo !== undefined) verdict.undo(result.undo);
    }
    return verdict;
  }

  /** A tap of containerStart. Others leave the container's processors before it starts. */
  async start(plan: ContainerPlan, { pod, container }: ContainerStartEvent): Promise<void> {
    const { uid } = pod.metadata;
    const { name } = container;
    const cpus = this.cpusOf(uid, name);
    if (this.hasExclusive(uid, name)) {
      plan.setAnnotation(CPUS_ANNOTATION, cpus);
      await this.#repinning.run();
    }
    plan.afterStart(({ containerId }) => this.#repinning.started(containerId, cpus));
  }

  /** No container of the pod runs any more, or it was not admitted. */
  async free(podUid: string): Promise<void> {
    if (this.#policy?.release(podUid)) await this.#changed();
  }

  /** Every `cpuManagerReconcilePeriod`: pods that are gone, containers whose processors have changed. */
  async reconcile(signal: AbortSignal): Promise<void> {
    this.#removeStale();
    if (this.#dirty) await this.#changed();
    await this.#repinning.run(signal);
  }

  /** The assignments if the pod were admitted now; nothing is allocated. */
  preview(pod: Pod): CpuAssignments {
    const policy = this.policy.copy();
    for (const container of allContainers(pod)) policy.allocate(pod, container);
    const own = (uid: string, name: string): boolean => policy.state.get(uid, name) !== undefined;
    return {
      hasExclusive: (uid, name) => (name === undefined ? policy.state.hasPod(uid) : own(uid, name)),
      cpusOf: (uid, name) => formatCpuList(policy.cpusOf(uid, name)),
    };
  }

  /** Of pods that are gone. Nothing before all sources have spoken. @param admitted the pod that is just being admitted */
  #removeStale(admitted?: string): void {
    const { pods } = this.ctx;
    if (!pods.sourcesReady()) return;
    const known = new Set(
      [...pods.list().filter((pod) => !hasEnded(pod)), ...pods.awaited()].map(({ metadata }) => metadata.uid),
    );
    for (const podUid of [...this.policy.state.assignments.keys()]) {
      if (podUid === admitted || known.has(podUid)) continue;
      this.policy.release(podUid);
      this.#dirty = true;
    }
  }

  /** Throws for an unusable checkpoint, so that it is moved aside. */
  #decode(text: string): CpuCheckpoint {
    const found = decodeCpuState(text);
    const { policyName, state } = found;
    if (policyName !== POLICY && state.assignments.size > 0) {
      throw new Error(`configured policy "${POLICY}" differs from state checkpoint policy "${policyName}"`);
    }
    // A kubelet with policy none leaves an empty state behind.
    const fault = policyName === POLICY ? this.policy.restore(state) : undefined;
    if (fault !== undefined) throw new Error(fault);
    return found;
  }

  /** Never rejects: a failed write is repeated at the next reconcile; containers have their assignments in annotations as well. */
  async #changed(): Promise<void> {
    const { state, reserved } = this.policy;
    this.metrics.pools([...state.shared].filter((cpu) => !reserved.has(cpu)).length, state.exclusive);
    this.#dirty = false;
    try {
      await this.#file.write({ policyName: POLICY, state: state.copy() });
    } catch (error) {
      this.#dirty = true;
      this.ctx.log.error({ err: error }, `cannot save who has which CPUs: ${errorText(error)}`);
    }
  }

  #record(pod: Pod, container: Container, affinity: readonly number[] | undefined): void {
    const cpus = this.cpusOf(pod.metadata.uid, container.name);
    const near = affinity === undefined ? "" : `, NUMA nodes ${formatCpuList(affinity)} first`;
    this.ctx.decisions.record({
      strategy: POLICY,
      subject: containerSubject(pod, container.name),
      considered: [],
      outcome: `CPUs ${cpus} alone (cpuManagerPolicy static${near})`,
    });
  }
}

function hintsOf(hints: ResourceHints): ReadonlyMap<string, ResourceHints> {
  return hints === null ? new Map() : new Map([["cpu", hints]]);
}
