/** `hooklet check --from-kubelet FILE`: the rc file that says the same, and what it cannot say. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { invalid } from "@hooklet/core/base";
import { isConfigFaultsError } from "@hooklet/core/host";
import { isRecord } from "@hooklet/manifest";
import { parse, stringify } from "yaml";
import type { Context } from "../../context.js";
import { printText, tell } from "../../io.js";
import { readInput } from "../../read-input.js";
import { contextConfig } from "../../run/boot-config.js";
import { knownOptions } from "./known-options.js";
import { fromKubelet } from "./kubelet-fields.js";

export async function checkFromKubelet(context: Context, file: string): Promise<number> {
  const { io } = context;
  const configuration: unknown = parse(await readInput(io, file));
  if (!isRecord(configuration) || configuration.kind !== "KubeletConfiguration")
    throw invalid(file, "a KubeletConfiguration", isRecord(configuration) ? configuration.kind : configuration);
  // Of the node, and of the plugins that run here without an rc file of one's own.
  const here = await inEmptyFolder("{}\n", (config) => contextConfig(context, { config }));
  const { rc, left } = fromKubelet(configuration, knownOptions(here));
  const text = `# From ${file}, a KubeletConfiguration.\n${stringify(rc)}`;
  await printText(io.stdout, text);
  for (const { field, why } of left) await tell(io, `no counterpart: ${field}: ${why}`);
  const faults = await faultsOf(context, text);
  for (const fault of faults) await tell(io, `error: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

async function faultsOf(context: Context, text: string): Promise<readonly string[]> {
  try {
    await inEmptyFolder(text, (config) => contextConfig(context, { config }));
    return [];
  } catch (error) {
    if (!isConfigFaultsError(error)) throw error;
    return error.faults.map(({ path, expected, found }) => `${path}: expected ${expected}, found ${found}`);
  }
}

async function inEmptyFolder<T>(text: string, work: (config: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "hooklet-check-"));
  try {
    const config = join(folder, "hookletrc.yaml");
    await writeFile(config, text);
    return await work(config);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
