import { describeRuntime, SimulatedRuntime, simulatedPrograms, VirtualClock } from "../../../src/index.js";

const clock = new VirtualClock();
const nodes = new Map<string, SimulatedRuntime>();

describeRuntime("simulated", {
  open: (directory) => {
    const node =
      nodes.get(directory) ?? new SimulatedRuntime({ clock, images: [{ names: ["box:1"] }], writeLogs: true });
    nodes.set(directory, node);
    return node;
  },
  programs: simulatedPrograms("box:1"),
  powers: { mounts: true, users: true, pulls: true, resources: true, events: true },
  clock,
  pass: (milliseconds) => clock.advance(milliseconds),
  cleanUp: (directory) => {
    nodes.delete(directory);
  },
});
