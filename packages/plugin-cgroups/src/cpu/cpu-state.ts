/** Who has which processors (pkg/kubelet/cm/cpumanager/state). Pure. */
import { type CpuSet, difference, NO_CPUS, union } from "./topology.js";

/** By pod uid and container name. */
export type Assignments = ReadonlyMap<string, ReadonlyMap<string, CpuSet>>;

export class CpuState {
  readonly #assignments = new Map<string, Map<string, CpuSet>>();

  /** @param shared those that belong to no container alone */
  constructor(
    public shared: CpuSet = NO_CPUS,
    assignments: Assignments = new Map(),
  ) {
    for (const [podUid, containers] of assignments) this.#assignments.set(podUid, new Map(containers));
  }

  get assignments(): Assignments {
    return this.#assignments;
  }

  get(podUid: string, container: string): CpuSet | undefined {
    return this.#assignments.get(podUid)?.get(container);
  }

  hasPod(podUid: string): boolean {
    return this.#assignments.has(podUid);
  }

  /** All that containers of the pod have. */
  ofPod(podUid: string): CpuSet {
    return union(...(this.#assignments.get(podUid)?.values() ?? []));
  }

  /** How many processors belong to containers alone. */
  get exclusive(): number {
    return union(...[...this.#assignments.values()].flatMap((containers) => [...containers.values()])).size;
  }

  /** Takes the processors out of the shared pool. */
  assign(podUid: string, container: string, cpus: CpuSet): void {
    const containers = this.#assignments.get(podUid) ?? new Map<string, CpuSet>();
    containers.set(container, cpus);
    this.#assignments.set(podUid, containers);
    this.shared = difference(this.shared, cpus);
  }

  /** Gives them back, but for those that another container of the pod has too (an init container's are used again). */
  release(podUid: string, container: string): boolean {
    const containers = this.#assignments.get(podUid);
    const cpus = containers?.get(container);
    if (containers === undefined || cpus === undefined) return false;
    containers.delete(container);
    if (containers.size === 0) this.#assignments.delete(podUid);
    this.shared = union(this.shared, difference(cpus, this.ofPod(podUid)));
    return true;
  }

  copy(): CpuState {
    return new CpuState(this.shared, this.#assignments);
  }
}
