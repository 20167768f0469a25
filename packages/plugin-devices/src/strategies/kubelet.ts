import type { AllocationInput, AllocationStrategy, Place, Question } from "../allocation/strategy.js";

/**
 * The kubelet's: devices of the pod's init containers, then those on the chosen NUMA nodes, then the others; the device
 * plugin is asked where it has a choice. What it does not say goes by natural order of id.
 */
export const kubelet: AllocationStrategy = (input) => {
  const { size, mustInclude, preferred } = input;
  const chosen = new Set(mustInclude);
  const fill = (ids: readonly string[]): boolean => {
    for (const id of ids) if (chosen.size < size) chosen.add(id);
    return chosen.size >= size;
  };
  if (fill([])) return [...chosen];
  const aligned = placed(input, "aligned");
  const enough = size - chosen.size < aligned.length;
  if (!enough && fill(aligned)) return [...chosen];

  const choice = enough ? aligned : free(input);
  if (input.canAsk && preferred === undefined) return { ask: question(input, choice, [...chosen]) };
  const may = new Set(choice);
  fill((preferred ?? []).filter((id) => may.has(id)));
  fill(aligned);
  fill(placed(input, "unaligned"));
  fill(placed(input, "no-topology"));
  return [...chosen];
};

function question({ size }: AllocationInput, choice: readonly string[], chosen: readonly string[]): Question {
  return { available: [...new Set([...choice, ...chosen])], mustInclude: chosen, size };
}

function placed({ candidates }: AllocationInput, wanted: Place): readonly string[] {
  return candidates.filter(({ place }) => place === wanted).map(({ id }) => id);
}

function free({ candidates }: AllocationInput): readonly string[] {
  return candidates.filter(({ place }) => place !== "reusable").map(({ id }) => id);
}
