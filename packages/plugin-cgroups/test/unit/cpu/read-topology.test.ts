import { expect, test } from "@jest/globals";
import { readTopology } from "../../../src/cpu/read-topology.js";

const CPU = "/sys/devices/system/cpu";
const NODE = "/sys/devices/system/node";

function machine(files: Readonly<Record<string, string>>, count = 4, folders: readonly string[] = []) {
  const topology = readTopology(
    { read: (file) => files[file], directories: (folder) => (folder === NODE ? folders : []) },
    count,
  );
  return [...topology.cpus].map((cpu) => topology.place(cpu));
}
const places = (...all: readonly (readonly [cpu: number, core: number, socket: number, node: number])[]) =>
  all.map(([cpu, core, socket, node]) => ({ cpu, core, socket, node }));

test("without sysfs each processor is a core of the one socket and node", () => {
  expect(machine({}, 3)).toEqual(places([0, 0, 0, 0], [1, 1, 0, 0], [2, 2, 0, 0]));
});

test("processors that are online have the place that sysfs shows, threads that are not are left out", () => {
  const of = (cpu: number, siblings: string, socket: number) => ({
    [`${CPU}/cpu${cpu}/topology/core_cpus_list`]: siblings,
    [`${CPU}/cpu${cpu}/topology/physical_package_id`]: `${socket}\n`,
  });
  const files = {
    [`${CPU}/online`]: "1-3,5\n",
    ...of(1, "1,5\n", 0),
    ...of(5, "1,5\n", 0),
    ...of(2, "0,2\n", 1),
    ...of(3, "3\n", 1),
    [`${NODE}/node0/cpulist`]: "0-1,4-5\n",
    [`${NODE}/node12/cpulist`]: "2-3\n",
    [`${NODE}/node99999/cpulist`]: "3\n",
    [`${NODE}/power/cpulist`]: "3\n",
  };
  expect(machine(files, 1, ["node0", "node12", "node13", "node99999", "power"])).toEqual(
    places([1, 1, 0, 0], [2, 2, 1, 12], [3, 3, 1, 12], [5, 1, 0, 0]),
  );
});

test("an older kernel has another file of siblings, and a firmware may not know the socket", () => {
  const files = {
    [`${CPU}/cpu1/topology/thread_siblings_list`]: "0-1",
    [`${CPU}/cpu1/topology/physical_package_id`]: "-1\n",
    [`${CPU}/cpu0/topology/physical_package_id`]: "nonsense",
  };
  expect(machine(files, 2)).toEqual(places([0, 0, 0, 0], [1, 0, 0, 0]));
});

test.each([`${CPU}/online`, `${NODE}/node0/cpulist`])("a list that cannot be read is named: %s", (file) => {
  expect(() => machine({ [file]: "one" }, 1, ["node0"])).toThrow(file);
});
