import { mkdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Json } from "@hooklet/core";
import { decodeChecked, encodeChecked, writeFileAtomic } from "@hooklet/core/internal";
import { removeTree } from "@hooklet/linux";
import type { ContainerRecord } from "../container-record.js";
import { containerFiles, type Layout } from "../layout.js";
import { type ContainerProcesses, parsePids } from "../proc/identity.js";
import { checkShape } from "../record-shape.js";
import { readLines, readState } from "../state-text.js";

/** Creates the container's folder with its state file; from then on the container exists. Nothing is left when it fails. */
export async function writeNewRecord(layout: Layout, record: ContainerRecord): Promise<void> {
  const folder = join(layout.containers, record.id);
  mkdirSync(folder, { mode: 0o700 });
  try {
    await writeRecord(layout, record);
  } catch (error) {
    await removeTree(folder);
    throw error;
  }
}

export async function writeRecord(layout: Layout, record: ContainerRecord): Promise<void> {
  const { state } = containerFiles(join(layout.containers, record.id));
  await writeFileAtomic(state, encodeChecked(record as unknown as Json));
}

/** Undefined when the container was never quite created. Throws when the file is damaged. */
export async function readRecord(folder: string): Promise<ContainerRecord | undefined> {
  const text = await readState(containerFiles(folder).state);
  if (text === undefined) return undefined;
  const record = decodeChecked(text);
  checkShape("container", record, basename(folder));
  return record as unknown as ContainerRecord;
}

/** The first processes of a container; undefined before they are reported, and when that file is damaged. */
export function readPids(folder: string): ContainerProcesses | undefined {
  return parsePids(readLines(containerFiles(folder).pids) ?? "");
}

/** The containers of earlier agents, for reading while no agent runs. Damaged ones are left out. */
export async function recordsOnDisk(layout: Layout): Promise<ContainerRecord[]> {
  const names = (await readdir(layout.containers)).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const records = await Promise.all(
    names.map((name) => readRecord(join(layout.containers, name)).catch(() => undefined)),
  );
  return records.filter((record) => record !== undefined);
}
