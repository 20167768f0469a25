/** What the agent keeps on disk: its root directory, locked, and checked files in it. */
import path from "node:path";
import { keepReserve, lockRootDir, makeOwnFolder, openCheckpoint, type RootDirLock, useReserve } from "@hooklet/linux";
import { type Clock, errorText } from "@hooklet/utils";
import type { Checkpoint, Host } from "../../plugin/contract.js";
import type { Cleanup } from "../cleanup.js";
import { keepIn } from "../kept.js";
import type { Telemetry } from "./telemetry.js";

/** Keeps other agents out of a root directory. */
export type LockRootDir = (rootDir: string, clock: Clock) => Promise<RootDirLock>;

export interface State {
  readonly rootDir: string;
  /** Milliseconds since the epoch: the first agent of this root directory began. */
  readonly createdAt: number;
  /** A checked file below `state/`. */
  checkpoint(name: string): Checkpoint;
  pluginCheckpoint(plugin: string, name: string): Checkpoint;
}

/** @throws NodeAgentError ROOT_DIR_LOCKED while another agent has the directory */
export async function statePart(
  needs: {
    readonly clock: Clock;
    readonly host: Pick<Host, "statfs">;
    readonly rootDir: string;
    readonly sudoUid: number | undefined;
    readonly lock: LockRootDir | undefined;
  } & Pick<Telemetry, "log" | "events">,
  cleanup: Cleanup,
): Promise<State> {
  const { clock, host, rootDir, log, events } = needs;
  await makeOwnFolder(rootDir, "choose another root directory, with --root-dir or rootDir", needs.sudoUid);
  const onDisk = (error: unknown): void => log.warn(`the reserve for full disks: ${errorText(error)}`);
  if (await useReserve(rootDir, host).catch(onDisk))
    log.warn(`the disk of ${rootDir} is full: the reserve for this is given up`);
  const lock = await (needs.lock ?? lockRootDir)(rootDir, clock);
  cleanup.push(() => lock.release());
  await keepReserve(rootDir, host).catch(onDisk);
  cleanup.push(() => keepReserve(rootDir, host).catch(onDisk));
  const onDamaged = (file: string, aside: string | undefined, why: string): void => {
    const text = `${file} is damaged (${why}) and was renamed to ${aside ?? "nothing: it could not be moved"}`;
    log.error(text);
    events.node("Warning", "CorruptCheckpoint", text);
  };
  const checkpoint = (name: string): Checkpoint => {
    const file = openCheckpoint(path.join(rootDir, "state", `${name}.json`), { clock, onDamaged });
    return { ...file, keep: (options) => keepIn(file, clock, options) };
  };
  return {
    rootDir,
    // The clock may have been set back since.
    createdAt: Math.min(lock.since ?? clock.now(), clock.now()),
    checkpoint,
    pluginCheckpoint: (plugin, name) => checkpoint(path.join("plugins", fileName(plugin), name)),
  };
}

/** A plugin's name as part of a path: npm scopes have a slash. */
function fileName(plugin: string): string {
  return plugin.replaceAll(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "_");
}
