/** The attempts of a container, from the log files in its folder (the kubelet's calcRestartCountByLogDir). */

import path from "node:path";
import { disk, openLogFolder, type Place } from "@hooklet/linux";
import { whenGone } from "@hooklet/utils";

/** How many attempts had a log: the number of the next one. 0 without a folder. `file`: any log of the container. */
export async function attemptsByLogs(file: string): Promise<number> {
  const counts = await withFolder(file, async (folder) => (await logsIn(folder)).map(({ attempt }) => attempt + 1));
  return Math.max(0, ...(counts ?? []));
}

/** Removes the logs of all attempts before this one, with what was rotated away from them. */
export async function removeLogsBefore(file: string, attempt: number): Promise<void> {
  await withFolder(file, async (folder) => {
    const old = (await logsIn(folder)).filter((log) => log.attempt < attempt);
    for (const { entry } of old) await whenGone(undefined, () => disk.unlink(folder.at(entry)));
  });
}

async function logsIn(folder: Place): Promise<readonly { readonly entry: string; readonly attempt: number }[]> {
  const entries = await whenGone([], () => disk.readdir(folder.path));
  return entries.flatMap((entry) => {
    const attempt = /^(\d{1,9})\.log(\..*)?$/.exec(entry)?.[1];
    return attempt === undefined ? [] : [{ entry, attempt: Number(attempt) }];
  });
}

async function withFolder<T>(file: string, work: (folder: Place) => Promise<T>): Promise<T | undefined> {
  const folder = await whenGone(undefined, () => openLogFolder(file));
  if (folder === undefined) return undefined;
  try {
    return await work(folder);
  } finally {
    folder.close();
  }
}

/** A log file with what was rotated away from it. What is no log of ours in their place is not touched. */
export async function removeLog(file: string): Promise<void> {
  const name = path.basename(file);
  const folder = await whenGone(undefined, () => openLogFolder(file));
  if (folder === undefined) return;
  try {
    const entries = await whenGone([], () => disk.readdir(folder.path));
    const own = entries.filter((entry) => entry === name || entry.startsWith(`${name}.`));
    for (const entry of own) await whenGone(undefined, () => disk.unlink(folder.at(entry)));
  } finally {
    folder.close();
  }
}
