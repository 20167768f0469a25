import { mkdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Json } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { tooLongToExec } from "@hooklet/core/internal";
import { decodeChecked, encodeChecked, removeTree, writeFileAtomic } from "@hooklet/linux";
import type { ContainerRecord, Launch } from "../container-record.js";
import { containerFiles, type Layout } from "../layout.js";
import { type ContainerProcesses, parsePids } from "../proc/members.js";
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

// Arguments and environment of the container's program, as ENTER reads them, within the kernel's limits.

/** perl searches all variables for each that it sets. */
const MAX_VARIABLES = 10_000;

type Given = Pick<Launch, "argv" | "env" | "workingDir">;

/** Fields that end in NUL: working directory, number of variables, variables, words of the command. */
export function encodeLaunch({ argv, env, workingDir }: Given): string {
  const variables = env.map(([name, value]) => `${name}=${value}`);
  return [workingDir, String(env.length), ...variables, ...argv].map((field) => `${field}\0`).join("");
}

/** Throws `invalid-argument` for a command or an environment that no process can be started with, naming what is too long. */
export function checkLaunch({ argv, env, workingDir }: Given): void {
  if ([workingDir, ...argv].some((word) => word.includes("\0"))) {
    throw new RuntimeError("invalid-argument", "command, args and workingDir must not hold NUL characters");
  }
  if (env.length > MAX_VARIABLES) {
    throw new RuntimeError(
      "invalid-argument",
      `the container has ${env.length} environment variables: at most ${MAX_VARIABLES}; put them into a file instead`,
    );
  }
  const found = tooLongToExec("command and args", argv, env);
  if (found !== undefined) throw new RuntimeError("invalid-argument", found);
}
