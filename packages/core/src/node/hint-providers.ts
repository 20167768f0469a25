/** Who has a say in the NUMA alignment of pods: each name once. */
import { invalid } from "@hooklet/utils";
import type { HintProvider } from "../plugin/contract/topology.js";
import { nodeClaimConflict } from "./claimed.js";

interface Owned {
  readonly plugin: string;
  readonly provider: HintProvider;
}

const METHODS = ["containerHints", "podHints", "allocate"] as const;

export class HintProviders {
  readonly #providers = new Map<string, Owned>();

  /** @throws NodeAgentError CLAIM_CONFLICT naming the other plugin, INVALID for what is no provider */
  offer(plugin: string, provider: HintProvider): void {
    const { name } = (provider ?? {}) as Partial<HintProvider>;
    if (typeof name !== "string" || name === "") throw invalid("offerHints", "a provider with a name", provider);
    const missing = METHODS.find((method) => typeof provider[method] !== "function");
    if (missing !== undefined) throw invalid(`offerHints: ${missing} of "${name}"`, "a method", provider[missing]);
    const first = this.#providers.get(name);
    if (first !== undefined && first.plugin !== plugin) {
      throw nodeClaimConflict(`the hint provider "${name}"`, first.plugin, plugin);
    }
    this.#providers.set(name, { plugin, provider });
  }

  list(): readonly HintProvider[] {
    return [...this.#providers.values()].map(({ provider }) => provider);
  }
}
