import { readPids } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

interface Input {
  readonly file: string | null;
  /** Permissions of the file: "0000" is what only root may read. */
  readonly mode?: string;
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["file", "mode"]);
    const read = (): string | undefined => {
      if (input.mode === "0000") throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
      return input.file ?? undefined;
    };
    try {
      return { error: false, pids: readPids({ read }, "/cgroup.procs") };
    } catch {
      return { error: true, pids: null };
    }
  },
};
