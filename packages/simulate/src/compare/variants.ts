/** What is compared with what. */

import { availableParallelism } from "node:os";
import type { Variant } from "../config/scenario-config.js";
import type { Setting } from "../config/sets.js";

export interface NamedVariant {
  readonly name: string;
  readonly variant: Variant;
}

/**
 * One for each rc file. An option that is set several times gives a variant for each of its values, several such options all
 * combinations; what is set once holds for all. Where that makes only one, it is compared with the scenario as it is.
 */
export function variantsOf(rcFiles: readonly string[], settings: readonly Setting[]): readonly NamedVariant[] {
  const byPath = new Map<string, Setting[]>();
  for (const one of settings) {
    const path = one.path.join(".");
    byPath.set(path, [...(byPath.get(path) ?? []), one]);
  }
  const groups = [...byPath.values()];
  const always = groups.flatMap((group) =>
    group.length === 1 && (rcFiles.length > 1 || groups.length > 1) ? group : [],
  );
  const choices = groups.filter((group) => !always.includes(group[0] as Setting));
  const chosen = combinations(choices);
  const files: readonly (string | undefined)[] = rcFiles.length === 0 ? [undefined] : rcFiles;
  const variants = files.flatMap((rcFile) =>
    chosen.map((sets) => ({
      name:
        [...(rcFile === undefined ? [] : [shortFile(rcFile)]), ...sets.map(shortSetting)].join(" ") ||
        settingsName(always),
      variant: { ...(rcFile === undefined ? {} : { rcFile }), sets: [...always, ...sets] },
    })),
  );
  return variants.length > 1 ? unique(variants) : unique([{ name: "as it is", variant: {} }, ...variants]);
}

function combinations(groups: readonly (readonly Setting[])[]): readonly (readonly Setting[])[] {
  return groups.reduce<readonly (readonly Setting[])[]>(
    (all, group) => all.flatMap((chosen) => group.map((one) => [...chosen, one])),
    [[]],
  );
}

/** `order=lru`: the option's last word is enough beside the others. */
function shortSetting({ path, text }: Setting): string {
  return `${path.at(-1)}=${text.slice(text.indexOf("=") + 1)}`;
}

function settingsName(settings: readonly Setting[]): string {
  return settings.map(shortSetting).join(" ");
}

function shortFile(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}

/** Two files of one name, or two options of one last word, get a number. */
function unique(variants: readonly NamedVariant[]): readonly NamedVariant[] {
  const seen = new Map<string, number>();
  return variants.map((one) => {
    const times = (seen.get(one.name) ?? 0) + 1;
    seen.set(one.name, times);
    return times === 1 ? one : { ...one, name: `${one.name} (${times})` };
  });
}

// Runs side by side, as many as the machine has processors for.

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
