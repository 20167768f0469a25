/** What came of a plan. */
import type { CgroupSetting } from "../plan/setting.js";

export interface Written extends CgroupSetting {
  /** What stood there before; undefined in a cgroup that was made just now. */
  readonly before: string | undefined;
}

/** What did not come out as wanted. */
export interface Refused {
  readonly path: string;
  readonly file: string;
  readonly wanted: string;
  /** What stands there now; undefined when it cannot be read. */
  readonly got: string | undefined;
  /** `EINVAL`, ...; undefined when the kernel took the write and made something else of it. */
  readonly errno: string | undefined;
  readonly message: string;
}

export interface Report {
  /** Cgroups that were not there. */
  readonly made: readonly string[];
  readonly written: readonly Written[];
  readonly refused: readonly Refused[];
}
