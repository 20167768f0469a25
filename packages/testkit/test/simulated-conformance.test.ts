import { describeRuntime } from "../src/describe-runtime.js";
import { simulatedPrograms } from "../src/simulated/programs.js";
import { SimulatedRuntime } from "../src/simulated-runtime.js";
import { VirtualClock } from "../src/virtual-clock.js";

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
