/**
 * Policy `static` of the kubelet's CPU manager: containers of Guaranteed pods with whole CPUs have theirs for themselves, all
 * others share the rest (pkg/kubelet/cm/cpumanager policy_static.go). No I/O.
 */
import { allContainers, type Container, isSidecar, NodeAgentError, type Pod, type Rejection } from "@hooklet/core";
import { formatCpuList } from "@hooklet/core/rules";
import type { ResourceHints } from "@hooklet/core/subsystem";
import { CpuState } from "./cpu-state.js";
import { cpuHints, exclusiveCpus, podExclusiveCpus } from "./requests.js";
import { takeByTopology } from "./take.js";
import { type CpuSet, type CpuTopology, difference, intersection, NO_CPUS, union } from "./topology.js";
import { stateFault } from "./validate.js";

export interface StaticPolicyInit {
  readonly topology: CpuTopology;
  /** Milli-cores reserved for system and agent: their processors are never exclusive. */
  readonly reservedMilliCpu: number;
  /** Which these are; empty: the first ones by topology. */
  readonly reservedCpus: CpuSet;
  /** Only whole cores are given away. */
  readonly fullPhysicalCpusOnly: boolean;
  /** No container runs on reserved processors. */
  readonly strictReservation: boolean;
}

export class StaticPolicy {
  readonly reserved: CpuSet;
  state: CpuState;
  /** Processors of init containers that have ended by the time that others start: pod uid -> processors. */
  readonly #reusable = new Map<string, CpuSet>();
  readonly #reservedCores: CpuSet;

  /** @throws NodeAgentError INVALID with the kubelet's message when this machine cannot satisfy the reservation */
  constructor(private readonly init: StaticPolicyInit) {
    this.reserved = reservedCpus(init);
    this.#reservedCores = init.topology.wholeCores(this.reserved);
    this.state = this.#fresh();
  }

  get topology(): CpuTopology {
    return this.init.topology;
  }

  /** All that may ever be given to containers alone. */
  get allocatable(): CpuSet {
    return difference(this.init.topology.cpus, this.reserved);
  }

  /** Continues with an earlier state. Returns why not, with the kubelet's message; undefined: it does. */
  restore(state: CpuState): string | undefined {
    if (state.shared.size === 0 && state.assignments.size === 0) return undefined;
    const { topology, strictReservation } = this.init;
    const fault = stateFault(state, { cpus: topology.cpus, reserved: this.reserved, strictReservation });
    if (fault === undefined) this.state = state.copy();
    return fault;
  }

  /** Assigns the processors that a running container is known to have, when the state is lost. False: another container has them, or they are invalid. */
  adopt(podUid: string, container: string, cpus: CpuSet): boolean {
    const siblings = this.state.ofPod(podUid);
    const free = union(difference(this.state.shared, this.reserved), siblings);
    if (cpus.size === 0 || intersection(cpus, free).size !== cpus.size) return false;
    this.state.assign(podUid, container, cpus);
    return true;
  }

  /** The container's processors: its own, or the shared ones. */
  cpusOf(podUid: string, container: string): CpuSet {
    return this.state.get(podUid, container) ?? this.state.shared;
  }

  /** Gives the container its processors; a reason against the pod, or undefined. One that has them already keeps them. */
  allocate(pod: Pod, container: Container, nodes?: readonly number[]): Rejection | undefined {
    const count = exclusiveCpus(pod, container);
    if (count === 0) return undefined;
    const { uid } = pod.metadata;
    const had = this.state.get(uid, container.name);
    if (had !== undefined) {
      this.#remember(uid, container, pod, had);
      return undefined;
    }
    const misaligned = this.#misaligned(count);
    if (misaligned !== undefined) return { reason: "SMTAlignmentError", message: misaligned };
    const taken = this.#take(count, nodes, this.#reusable.get(uid) ?? NO_CPUS);
    if ("error" in taken) {
      const message = `Allocate failed due to ${taken.error}, which is unexpected`;
      return { reason: "UnexpectedAdmissionError", message };
    }
    this.state.assign(uid, container.name, taken.cpus);
    this.#remember(uid, container, pod, taken.cpus);
    return undefined;
  }

  /** False: it had none. */
  release(podUid: string): boolean {
    this.#reusable.delete(podUid);
    const containers = [...(this.state.assignments.get(podUid)?.keys() ?? [])];
    for (const container of containers) this.state.release(podUid, container);
    return containers.length > 0;
  }

  /** Null: the container needs no exclusive processors. */
  containerHints(pod: Pod, container: Container): ResourceHints {
    const request = exclusiveCpus(pod, container);
    if (request === 0) return null;
    const { uid } = pod.metadata;
    const had = this.state.get(uid, container.name);
    const { topology } = this.init;
    if (had !== undefined) return had.size === request ? cpuHints(topology, had, NO_CPUS, request) : [];
    return cpuHints(topology, this.#available, this.#reusable.get(uid) ?? NO_CPUS, request);
  }

  podHints(pod: Pod): ResourceHints {
    const request = podExclusiveCpus(pod);
    if (request === 0) return null;
    const { uid } = pod.metadata;
    for (const container of allContainers(pod)) {
      const had = this.state.get(uid, container.name);
      if (had !== undefined && had.size !== exclusiveCpus(pod, container)) return [];
    }
    const { topology } = this.init;
    const had = this.state.ofPod(uid);
    if (had.size === request) return cpuHints(topology, had, NO_CPUS, request);
    return cpuHints(topology, this.#available, union(this.#reusable.get(uid) ?? NO_CPUS, had), request);
  }

  /** The same policy with the same state, to try things on. */
  copy(): StaticPolicy {
    const copy = new StaticPolicy(this.init);
    copy.state = this.state.copy();
    for (const [uid, cpus] of this.#reusable) copy.#reusable.set(uid, cpus);
    return copy;
  }

  get #available(): CpuSet {
    return difference(this.state.shared, this.reserved);
  }

  #fresh(): CpuState {
    const { topology, strictReservation } = this.init;
    return new CpuState(strictReservation ? this.allocatable : topology.cpus);
  }

  /** Takes processors from the nodes first, and the rest from anywhere. */
  #take(count: number, nodes: readonly number[] | undefined, reusable: CpuSet): ReturnType<typeof takeByTopology> {
    const { topology } = this.init;
    const available = union(this.#available, reusable);
    const near = new Set([...available].filter((cpu) => nodes?.includes(topology.place(cpu)?.node ?? -1)));
    const aligned = takeByTopology(topology, near, Math.min(count, near.size));
    if ("error" in aligned) return aligned;
    const rest = takeByTopology(topology, difference(available, aligned.cpus), count - aligned.cpus.size);
    return "error" in rest ? rest : { cpus: union(aligned.cpus, rest.cpus) };
  }

  /** `full-pcpus-only`: why this many cannot be whole cores, with the kubelet's message. */
  #misaligned(count: number): string | undefined {
    const { fullPhysicalCpusOnly, topology } = this.init;
    if (!fullPhysicalCpusOnly) return undefined;
    const perCore = topology.cpusPerCore;
    if (count % perCore !== 0) {
      return `SMT Alignment Error: requested ${count} cpus not multiple cpus per core = ${perCore}`;
    }
    const free = difference(this.state.shared, this.#reservedCores).size;
    if (count <= free) return undefined;
    return (
      `SMT Alignment Error: not enough free physical CPUs: available physical CPUs = ${free}, ` +
      `requested CPUs = ${count}, CPUs per core = ${perCore}`
    );
  }

  /** Of the pods that are being admitted there is one at a time. */
  #remember(uid: string, container: Container, pod: Pod, cpus: CpuSet): void {
    for (const other of [...this.#reusable.keys()]) if (other !== uid) this.#reusable.delete(other);
    const before = this.#reusable.get(uid) ?? NO_CPUS;
    const ends = pod.spec.initContainers?.some(({ name }) => name === container.name) && !isSidecar(container);
    this.#reusable.set(uid, ends ? union(before, cpus) : difference(before, cpus));
  }
}

function reservedCpus({ topology, reservedMilliCpu, reservedCpus: given }: StaticPolicyInit): CpuSet {
  const fault = (text: string): NodeAgentError =>
    new NodeAgentError("INVALID", `new static policy error: [cpumanager] ${text}`);
  if (!(reservedMilliCpu > 0)) {
    throw new NodeAgentError(
      "INVALID",
      "[cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero. " +
        "Set node.systemReserved, node.kubeReserved or node.reservedSystemCPUs.",
    );
  }
  // Parts of a processor cannot be given away.
  const count = Math.ceil(reservedMilliCpu / 1000);
  const taken = given.size > 0 ? { cpus: given } : takeByTopology(topology, topology.cpus, count);
  const cpus = "cpus" in taken ? taken.cpus : NO_CPUS;
  const unknown = difference(cpus, topology.cpus);
  if (unknown.size > 0) {
    const there = formatCpuList(topology.cpus);
    throw fault(
      `unable to build the reserved physical CPUs from the reserved set: expected some of ${there}, found ${formatCpuList(unknown)}`,
    );
  }
  if (cpus.size !== count) {
    throw fault(
      `unable to reserve the required amount of CPUs (size of ${formatCpuList(cpus)} did not equal ${count})`,
    );
  }
  return cpus;
}
