import type { Clock } from "@hooklet/core";
import type { Runtime } from "@hooklet/core/host";
import type { Programs } from "./programs.js";

/** What a runtime may be unable to do where the suite runs. A check that needs an absent power is skipped by name. */
export interface RuntimePowers {
  /** Volumes are mounted, read-only ones too. */
  readonly mounts: boolean;
  /** `runAsUser` is obeyed. */
  readonly users: boolean;
  /** `pullImage` of the programs' image works. */
  readonly pulls: boolean;
  /** `updateContainerResources` works. */
  readonly resources: boolean;
  /** The runtime has `subscribe`. */
  readonly events: boolean;
}

/** The description of a runtime for `describeRuntime`. */
export interface RuntimeHarness {
  /**
   * A runtime, not started, that keeps its state in this directory. Called with a fresh directory for each check, and
   * again with the same one after `close()`, as after a restart of the agent.
   */
  open(directory: string): Runtime | Promise<Runtime>;
  readonly programs: Programs;
  readonly powers: RuntimePowers;
  /** The runtime's clock. */
  readonly clock: Clock;
  /** Lets time pass: a real sleep, or `VirtualClock.advance`. */
  pass(milliseconds: number): Promise<void>;
  /** Called after each check, once all its sandboxes are removed and the runtime is closed. */
  cleanUp?(directory: string): void | Promise<void>;
}
