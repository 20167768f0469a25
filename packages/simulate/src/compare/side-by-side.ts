/** Runs side by side, as many as the machine has processors for. */
import { availableParallelism } from "node:os";

/** Results in the order of what was given. The first that rejects ends it; those that run go on to their end unheard. */
export async function sideBySide<In, Out>(
  all: readonly In[],
  work: (one: In) => Promise<Out>,
): Promise<readonly Out[]> {
  const results: Out[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) results[index] = await work(all[index] as In);
  };
  const count = Math.min(all.length, Math.max(1, availableParallelism()));
  await Promise.all(Array.from({ length: count }, worker));
  return results;
}
