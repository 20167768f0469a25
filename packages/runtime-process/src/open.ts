/** Reads the machine and creates what all parts share. */
import { mkdir, readdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type RuntimeContext, RuntimeError, type RuntimeEvent } from "@hooklet/core/host";
import { kernelFiles, ownCgroups, readMounts, removeTree, Signals } from "@hooklet/linux";
import { Semaphore } from "@hooklet/utils";
import { findHierarchies, writableHierarchies } from "./cgroup/hierarchies.js";
import { installScripts } from "./command/scripts.js";
import { Starter } from "./command/starter.js";
import { findFallocate, findTerminalTools, findTools } from "./command/toolbox.js";
import { probeIsolation, withoutNamespaces } from "./container/probe.js";
import type { Deps } from "./deps.js";
import { ImageStore } from "./image/store.js";
import { removeStaleTemp } from "./image/temp.js";
import { type Layout, makeLayout } from "./layout.js";
import type { ProcessRuntimeOptions } from "./options.js";
import { Outputs } from "./output/outputs.js";
import { currentBootId } from "./proc/members.js";

import { RootCalls } from "./rootfs/root-calls.js";
import { makeDevTemplate } from "./rootfs/system-mounts.js";
import { LowerStats } from "./rootfs/view.js";

/** Throws `unavailable` where the runtime cannot work at all. */
export async function openDeps(
  ctx: RuntimeContext,
  layout: Layout,
  options: ProcessRuntimeOptions,
  emit: (event: RuntimeEvent) => void,
  damaged: (text: string) => void,
  closed: AbortSignal,
): Promise<Deps> {
  if (process.platform !== "linux") {
    throw new RuntimeError("unavailable", `the process runtime needs Linux; this is ${process.platform}`);
  }
  await mkdir(ctx.rootDir, { recursive: true, mode: 0o700 });
  await makeLayout(layout);
  await makeDevTemplate(layout.devTemplate);
  for (const name of await readdir(layout.trash)) await removeTree(join(layout.trash, name));
  await removeStaleTemp(layout.imageTemp);
  const tools = findTools();
  const scripts = await installScripts(layout.bin);
  const isolation = options.namespaces
    ? await probeIsolation(layout, tools, scripts)
    : withoutNamespaces("the option namespaces is off");
  if (isolation.mode === "none") ctx.log.warn(`containers share the machine's files: ${isolation.why}`);
  const mounts = readMounts();
  const { writable, refused, root } = writableHierarchies(
    options.cgroups ? findHierarchies(kernelFiles.read("/proc/self/mountinfo") ?? "") : [],
    ownCgroups(kernelFiles.read("/proc/self/cgroup") ?? "").find(([controllers]) => controllers === "")?.[1] ?? "/",
  );
  if (writable.length === 0) ctx.log.debug({ refused }, "containers have no cgroups: they cannot be written here");
  const shownMounts = new Set(mounts.map(({ mountPoint }) => mountPoint));
  const lowerStats = new LowerStats(ctx.clock);
  const asRoot = process.getuid?.() === 0;
  return {
    clock: ctx.clock,
    log: ctx.log,
    layout,
    nodeIp: ctx.nodeIp,
    tools,
    terminalTools: findTerminalTools(),
    scripts,
    starter: new Starter(tools, scripts, layout.events, ctx.clock),
    signals: new Signals(ctx.clock),
    isolation,
    asRoot,
    hierarchies: writable,
    cgroupRoot: root,
    images: new ImageStore(layout, ctx.log),
    bootId: currentBootId(),
    shownMounts,
    roots: new RootCalls({ clock: ctx.clock, rootDir: ctx.rootDir, shownMounts, lowerStats }),
    starts: new Semaphore(options.parallelStarts ?? availableParallelism() * 4),
    outputs: new Outputs({ clock: ctx.clock, log: ctx.log, layout, asRoot, fallocate: findFallocate() }),
    lowerStats,
    closed,
    emit,
    damaged,
  };
}
