import { Labels, type NodeView } from "@hooklet/core";
import { formatCpuList } from "@hooklet/core/rules";
import { expect, test } from "@jest/globals";
import { StaticPolicy } from "../../../src/cpu/policy.js";
import { adoptRunning, CPUS_ANNOTATION } from "../../../src/cpu/recovery.js";
import { singleSocket } from "./machines.js";

type Container = NodeView["containers"][number];

const running = {
  state: "CONTAINER_RUNNING",
  labels: { [Labels.podUid]: "u", [Labels.containerName]: "main" },
  annotations: { [CPUS_ANNOTATION]: "1,5" },
} as unknown as Container;

function adopt(...containers: readonly Container[]) {
  const policy = new StaticPolicy({
    topology: singleSocket,
    reservedMilliCpu: 500,
    reservedCpus: new Set(),
    fullPhysicalCpusOnly: false,
    strictReservation: false,
  });
  const faults = adoptRunning(policy, containers);
  return { faults, shared: formatCpuList(policy.state.shared) };
}

test("a running container keeps the CPUs that it carries", () => {
  expect(adopt(running)).toEqual({ faults: [], shared: "0,2-4,6-7" });
});

test.each<{ name: string; change: object }>([
  { name: "that does not run", change: { state: "CONTAINER_EXITED" } },
  { name: "without CPUs of its own", change: { annotations: {} } },
  { name: "of no pod", change: { labels: { [Labels.containerName]: "main" } } },
  { name: "without a name", change: { labels: { [Labels.podUid]: "u" } } },
])("a container $name takes none", ({ change }) => {
  expect(adopt({ ...running, ...change })).toEqual({ faults: [], shared: "0-7" });
});

test("what the state file knows counts more than what the container carries", () => {
  const other = { ...running, annotations: { [CPUS_ANNOTATION]: "2,6" } };
  expect(adopt(running, other)).toEqual({ faults: [], shared: "0,2-4,6-7" });
});

test.each([
  {
    name: "are another container's",
    carried: "5",
    fault: "CPUs 5 of container main of pod other are not free: it runs in the shared pool",
  },
  {
    name: "are no list",
    carried: "five",
    fault: expect.stringMatching(/^container main of pod other: .*annotation cpus\.hooklet\.dev\/exclusive/),
  },
])("CPUs that $name are reported and not assigned", ({ carried, fault }) => {
  const other = {
    ...running,
    labels: { ...running.labels, [Labels.podUid]: "other" },
    annotations: { [CPUS_ANNOTATION]: carried },
  };
  expect(adopt(running, other)).toEqual({ faults: [fault], shared: "0,2-4,6-7" });
});
