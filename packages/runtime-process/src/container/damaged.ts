/** A container whose state file cannot be read: its processes are found by what else lies in its folder. */
import { readFile } from "node:fs/promises";
import { constants } from "node:os";
import { basename } from "node:path";
import { sleep } from "@hooklet/core";
import type { Deps } from "../deps.js";
import { unlessMissing } from "../fs-errors.js";
import { containerFiles } from "../layout.js";
import { findByCommand } from "../proc/find-by-command.js";
import { identify, parsePids, signalProcess } from "../proc/identity.js";
import { findMembers } from "../proc/members.js";

const ROUNDS = 20;

/** Kills the shim, and all that belongs to the container, for a second at most. */
export async function killDamaged(deps: Deps, folder: string): Promise<void> {
  const files = containerFiles(folder);
  const processes = parsePids((await unlessMissing(readFile(files.pids, "utf8"))) ?? "");
  const cgroups = ((await unlessMissing(readFile(files.cgroups, "utf8"))) ?? "").split("\n");
  const namespace = await unlessMissing(readFile(files.namespace, "utf8"));
  for (let round = 0; round < ROUNDS; round++) {
    const found = findByCommand(folder);
    const group = cgroups[0] ? ((await unlessMissing(readFile(cgroups[0], "utf8"))) ?? "") : "";
    for (const pid of group.split("\n").map(Number)) if (pid > 1) found.push(...[identify(pid) ?? []].flat());
    if (processes !== undefined && processes.bootId === deps.bootId) {
      const traits = { id: basename(folder), main: processes.main, ...(namespace !== undefined && { namespace }) };
      found.push(...findMembers(traits));
    }
    if (found.length === 0) return;
    for (const one of found) signalProcess(one, constants.signals.SIGKILL);
    await sleep(deps.clock, 50);
  }
  deps.log.error({ folder }, "processes of a container with damaged state could not be killed");
}
