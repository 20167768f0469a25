/** Samples of the node over time, for curves. */
import { seconds } from "../records/record.js";
import type { ScenarioNode } from "./node.js";
import type { Sample } from "./outcome.js";

/** Fills the list as time passes: from now to the end, evenly. @param until milliseconds */
export function startSampling(node: ScenarioNode, until: number, count: number): readonly Sample[] {
  const samples: Sample[] = [];
  const step = Math.max(1, until / count);
  const look = (): void => {
    samples.push(sampleOf(node));
    if (node.recorder.now < until) node.clock.schedule(Math.min(step, until - node.recorder.now), look);
  };
  look();
  return samples;
}

function sampleOf({ recorder, machine, runtime, disks, pods }: ScenarioNode): Sample {
  const { capacity = 0, available = 0 } = disks.imageFs();
  return {
    t: seconds(recorder.now),
    memory: machine.usage.total,
    imageFsUsed: capacity - available,
    images: runtime.imageBytes(),
    ...pods(),
  };
}
