import {
  containerIdOfLogLink,
  deadLogLinkGoes,
  logDirectoriesToRemove,
  podUidOfLogDirectory,
} from "@hooklet/plugin-imagegc/internal";
import type { Adapter } from "../adapter.js";
import { onlyKnown } from "../known-keys.js";

interface Directories {
  readonly dirs: readonly string[];
  readonly removed_pods: readonly string[];
  readonly all_sources_ready: boolean;
  readonly root?: string;
}

interface Link {
  readonly symlink_target_missing: boolean;
  readonly container_state?: "created" | "running" | "exited" | "unknown" | "error";
  /** null: the name of the link holds none. */
  readonly container_id?: string | null;
}

type Input = Directories | Link | { readonly dir: string };

export const adapter: Adapter<Input> = {
  run(input) {
    if ("dir" in input) {
      onlyKnown(input, ["dir"], "input");
      return { podUID: podUidOfLogDirectory(input.dir) };
    }
    if ("dirs" in input) {
      onlyKnown(input, ["dirs", "removed_pods", "all_sources_ready", "root"], "input");
      const names = logDirectoriesToRemove(input.dirs, {
        allSourcesReady: input.all_sources_ready,
        isDeleted: (uid) => input.removed_pods.includes(uid),
      });
      const paths = names.map((name) => (input.root === undefined ? name : `${input.root}/${name}`));
      return { removed: paths.sort() };
    }
    onlyKnown(input, ["symlink_target_missing", "container_state", "container_id"], "input");
    return { symlink_removed: linkGoes(input) };
  },
  expected: (expected: { readonly removed?: readonly string[] }) =>
    expected.removed === undefined ? expected : { ...expected, removed: [...expected.removed].sort() },
};

function linkGoes({
  symlink_target_missing: missing,
  container_state: state,
  container_id: id = "0123456789ab",
}: Link): boolean {
  if (!missing) return false;
  const found = containerIdOfLogLink(id === null ? "web_default_main.log" : `web_default_main-${id}.log`);
  return deadLogLinkGoes(found === undefined || state === "error" ? undefined : state);
}
