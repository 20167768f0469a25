/** Machines of the kubelet's own tests, for the tests of processors. */
import { parseCpuList } from "@hooklet/core/rules";
import { CpuTopology } from "../../../src/cpu/topology.js";

/** `socket` and `node` by core; threads of a core lie `cores` apart. */
function machine(
  cores: number,
  threads: number,
  place: (core: number) => { socket: number; node: number },
): CpuTopology {
  const places = Array.from({ length: cores * threads }, (_, cpu) => ({
    cpu,
    core: cpu % cores,
    ...place(cpu % cores),
  }));
  return new CpuTopology(places);
}

/** 8 threads on 4 cores: 0/4, 1/5, 2/6, 3/7. */
export const singleSocket = machine(4, 2, () => ({ socket: 0, node: 0 }));

/** 12 threads on 6 cores; even cores on socket and node 0, odd ones on 1. */
export const dualSocket = machine(6, 2, (core) => ({ socket: core % 2, node: core % 2 }));

/** 80 threads on 40 cores, 2 sockets of 2 nodes of 10 cores. */
export const multiNuma = machine(40, 2, (core) => ({ socket: Math.floor(core / 20), node: Math.floor(core / 10) }));

/** 80 threads on 40 cores, 4 sockets, 2 nodes of 2 sockets. */
export const multiSocket = machine(40, 2, (core) => ({ socket: Math.floor(core / 10), node: Math.floor(core / 20) }));

/** 4 processors, nothing shared. */
export const plain = machine(4, 1, () => ({ socket: 0, node: 0 }));

export const cpus = (text: string): ReadonlySet<number> => parseCpuList(text);
