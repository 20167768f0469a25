/** What all parts of a container's start share. */

import type { SandboxConfig } from "../../../runtime/port.js";
import type { PodEvent, PodState } from "../../state.js";

export interface StartContext<Ports> {
  readonly ports: Ports;
  readonly state: () => PodState;
  readonly dispatch: (event: PodEvent) => void;
  readonly sandboxConfig: SandboxConfig;
  /** Aborted when the pod is to be stopped. */
  readonly signal: AbortSignal;
}
