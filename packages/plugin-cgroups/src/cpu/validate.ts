/** Whether a state that was read can be gone on with on this machine (pkg/kubelet/cm/cpumanager validateState). Pure. */
import { formatCpuList } from "@hooklet/core/rules";
import type { CpuState } from "./cpu-state.js";
import { type CpuSet, difference, intersection, sameCpus, union } from "./topology.js";

export interface StateRules {
  /** All processors of the machine. */
  readonly cpus: CpuSet;
  readonly reserved: CpuSet;
  /** Reserved processors are in no set, not even in the shared one. */
  readonly strictReservation: boolean;
}

/** Why the state cannot be used, with the kubelet's message; undefined: it can. */
export function stateFault({ shared, assignments }: CpuState, rules: StateRules): string | undefined {
  const { cpus, reserved, strictReservation } = rules;
  const list = formatCpuList;
  if (shared.size === 0) return "default cpuset cannot be empty";
  const both = intersection(reserved, shared);
  if (strictReservation && both.size > 0) {
    return `some of strictly reserved cpus: "${list(both)}" are present in defaultCpuSet: "${list(shared)}"`;
  }
  if (!strictReservation && !sameCpus(both, reserved)) {
    return `not all reserved cpus: "${list(reserved)}" are present in defaultCpuSet: "${list(shared)}"`;
  }
  for (const [pod, containers] of assignments) {
    for (const [container, own] of containers) {
      if (intersection(shared, own).size === 0) continue;
      return `pod: ${pod}, container: ${container} cpuset: "${list(own)}" overlaps with default cpuset "${list(shared)}"`;
    }
  }
  const sets = [...assignments.values()].flatMap((containers) => [...containers.values()]);
  const known = union(shared, ...sets);
  const wanted = strictReservation ? difference(cpus, reserved) : cpus;
  if (sameCpus(known, wanted)) return doubled(assignments);
  return `current set of available CPUs "${list(wanted)}" doesn't match with CPUs in state "${list(known)}"`;
}

/** hooklet's own rule: no processor belongs to two pods. */
function doubled(assignments: CpuState["assignments"]): string | undefined {
  const owners = new Map<number, string>();
  for (const [pod, containers] of assignments) {
    for (const cpu of union(...containers.values())) {
      const other = owners.get(cpu);
      if (other !== undefined) return `cpu ${cpu} belongs to pod ${other} and to pod ${pod}`;
      owners.set(cpu, pod);
    }
  }
  return undefined;
}
