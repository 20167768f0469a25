/** Pure. */
import type { AllocationInput, AllocationStrategy, Place, Question } from "./strategy.js";

/**
 * The kubelet's: devices of the pod's init containers, then those on the chosen NUMA nodes, then the others; the device
 * plugin's preference decides where there is a choice, then natural order of ids.
 */
export const kubelet: AllocationStrategy = (input) => {
  const { size, mustInclude, preferred, candidates } = input;
  const chosen = new Set(mustInclude);
  const fill = (ids: readonly string[]): boolean => {
    for (const id of ids) {
      if (chosen.size >= size) break;
      chosen.add(id);
    }
    return chosen.size >= size;
  };
  if (fill([])) return [...chosen];
  const placed = (wanted: Place): readonly string[] =>
    candidates.flatMap(({ id, place }) => (place === wanted ? id : []));
  const aligned = input.affinity === undefined ? [] : placed("aligned");
  const enough = size - chosen.size < aligned.length;
  if (!enough && fill(aligned)) return [...chosen];

  const asks = input.canAsk && preferred === undefined;
  if (asks || (preferred !== undefined && preferred.length > 0)) {
    const choice = enough ? aligned : candidates.flatMap(({ id, place }) => (place === "reusable" ? [] : id));
    if (asks) return { ask: question(input, choice, [...chosen]) };
    const may = new Set(choice);
    if (fill((preferred ?? []).filter((id) => may.has(id)))) return [...chosen];
  }
  if (fill(aligned) || (input.affinity !== undefined && fill(placed("unaligned")))) return [...chosen];
  for (const { id, place } of candidates) {
    if (place === "no-topology" && fill([id])) break;
  }
  return [...chosen];
};

function question({ size }: AllocationInput, choice: readonly string[], chosen: readonly string[]): Question {
  return { available: [...new Set([...choice, ...chosen])], mustInclude: chosen, size };
}
