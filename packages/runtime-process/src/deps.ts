import type { Clock } from "@hooklet/core";
import type { RuntimeEvent } from "@hooklet/core/host";
import type { CgroupHierarchy } from "@hooklet/core/rules";
import type { Signals } from "@hooklet/linux";
import type { Semaphore } from "@hooklet/utils";
import type { Scripts } from "./command/scripts.js";
import type { Starter } from "./command/starter.js";
import type { TerminalTools, Toolbox } from "./command/toolbox.js";
import type { Isolation } from "./container-record.js";
import type { ImageStore } from "./image/store.js";
import type { Layout } from "./layout.js";
import type { Logger } from "./log.js";
import type { Outputs } from "./output/outputs.js";
import type { RootCalls } from "./rootfs/root-calls.js";
import type { LowerStats } from "./rootfs/view.js";

/** What all parts of the runtime share once it has started. */
export interface Deps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly layout: Layout;
  /** That of every pod; undefined: the machine's first. */
  readonly nodeIp: string | undefined;
  readonly tools: Toolbox;
  /** Undefined where the machine has none: no command runs on a terminal then. */
  readonly terminalTools: TerminalTools | undefined;
  readonly scripts: Scripts;
  readonly starter: Starter;
  /** The one way by which signals are sent to containers' processes. */
  readonly signals: Signals;
  readonly isolation: Isolation;
  readonly asRoot: boolean;
  /** Empty where cgroups cannot be written. */
  readonly hierarchies: readonly CgroupHierarchy[];
  /** cgroupfs path below which they can be written: `/`, or what was delegated to the agent. */
  readonly cgroupRoot: string;
  readonly images: ImageStore;
  readonly bootId: string;
  /**
   * What was mounted when the runtime started. Later mounts are not shown to containers: other runtimes make and unmake theirs
   * all the time, and a start would fail on one that is just going.
   */
  readonly shownMounts: ReadonlySet<string>;
  /** How many set-ups run at once. */
  readonly starts: Semaphore;
  /** Looks into containers' files. */
  readonly roots: RootCalls;
  /** What containers write, on its way into their logs. */
  readonly outputs: Outputs;
  /** Shared by the containers that start at the same time. */
  readonly lowerStats: LowerStats;
  /** Aborts when the runtime is closed: what is under way is let go of, as if the agent had been killed. */
  readonly closed: AbortSignal;
  emit(event: RuntimeEvent): void;
  /** Reports state that was moved aside; the agent makes an event of it. */
  damaged(text: string): void;
}
