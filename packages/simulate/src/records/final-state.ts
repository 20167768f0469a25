/** What a run leaves. Pure. */
import type { PodFacts } from "./pod-facts.js";

/** What is left at the end, without times and ids: what two runs have to agree in. */
export interface FinalState {
  readonly pods: readonly (PodFacts & { readonly reason: string; readonly qos: string })[];
  /** First name, or id. */
  readonly images: readonly string[];
  readonly devices: readonly { readonly device: string; readonly holder: string }[];
}
