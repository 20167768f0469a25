/** Tries out, once at the start, in which way containers can be kept apart here: by really setting one up. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "@hooklet/core";
import { type ContainerConfig, RuntimeError } from "@hooklet/core/host";
import type { Scripts } from "../command/install.js";
import { runTool } from "../command/spawn.js";
import type { Toolbox } from "../command/toolbox.js";
import { containerFiles, type Layout } from "../layout.js";
import { assembleRoot } from "../rootfs/assemble.js";
import { fitsOverlay } from "../rootfs/fstab.js";
import { LowerStats } from "../rootfs/lower-stats.js";
import { entryChain, setupChain } from "./chain.js";
import { removeTree } from "./state-file.js";
import type { Isolation } from "./types.js";

/** In Node's words or the tools'. */
const DISK_FULL = /ENOSPC|EDQUOT|no space left|quota exceeded/i;

/** Throws `unavailable` when a full disk keeps it from finding out: that must not look as if nothing could be kept apart. */
export async function probeIsolation(layout: Layout, tools: Toolbox, scripts: Scripts): Promise<Isolation> {
  if (!fitsOverlay(layout.base)) {
    return withoutNamespaces(
      `the root dir's path ${layout.base} holds one of , : " ' \\ which overlay mounts cannot have`,
    );
  }
  const mode = process.getuid?.() === 0 ? "root" : "user";
  let why: string | undefined;
  for (const volatileLayers of [true, false]) {
    why = await trial(mode, volatileLayers, layout, tools, scripts);
    if (why === undefined) return { mode, volatileLayers };
    if (DISK_FULL.test(why)) {
      throw new RuntimeError(
        "unavailable",
        `cannot find out how containers can be kept apart: ${why}; free some space on the disk of ${layout.base}`,
      );
    }
  }
  return withoutNamespaces(why ?? "no reason was given");
}

export function withoutNamespaces(why: string): Isolation {
  return { mode: "none", volatileLayers: false, why };
}

/** Undefined when it works, else the tools' own words. */
async function trial(
  mode: "root" | "user",
  volatileLayers: boolean,
  layout: Layout,
  tools: Toolbox,
  scripts: Scripts,
): Promise<string | undefined> {
  const folder = join(layout.base, `probe-${process.pid}`);
  await removeTree(folder);
  try {
    for (const path of [folder, join(folder, "shm")]) mkdirSync(path, { mode: 0o700 });
    const { root, fstab } = assembleRoot({
      folder,
      userNamespace: mode === "user",
      volatileLayers,
      shownMounts: new Set(),
      config: CONFIG,
      workingDir: "/",
      shm: join(folder, "shm"),
      etc: [],
      devTemplate: layout.devTemplate,
      empty: layout.empty,
      lowerStats: new LowerStats({ monotonic: () => 0 }),
    });
    const files = containerFiles(folder);
    writeFileSync(files.fstab, fstab);
    writeFileSync(files.env, "");
    writeFileSync(files.cgroups, "");
    const entry = entryChain({
      tools,
      mode,
      asRoot: mode === "root",
      security: CONFIG.linux.securityContext,
      launch: { argv: [tools.sh, "-c", "exit 0"], user: { uid: 0, gid: 0, groups: [] }, workingDir: "/" },
      environment: { file: "", outside: [], inside: [] },
      root,
    });
    const [file = "", ...args] = setupChain({
      tools,
      scripts,
      mode,
      folder,
      upFile: join(folder, "up"),
      entry: entry.words,
    });
    const { exitCode, output } = await runTool(file, args);
    if (exitCode === 0) return undefined;
    const words = existsSync(files.setup) ? readFileSync(files.setup, "utf8") : "";
    return (words || output || `exit code ${exitCode}`).trim().split("\n")[0];
  } catch (error) {
    return errorText(error);
  } finally {
    await removeTree(folder);
  }
}

const CONFIG: ContainerConfig = {
  metadata: { name: "probe", attempt: 0 },
  image: { image: "host", userSpecifiedImage: "host" },
  command: [],
  args: [],
  workingDir: "",
  envs: [],
  mounts: [],
  devices: [],
  cdiDevices: [],
  labels: {},
  annotations: {},
  logPath: "",
  stdin: false,
  stdinOnce: false,
  tty: false,
  linux: {
    resources: {},
    securityContext: {
      capabilities: { add: [], drop: [] },
      privileged: false,
      namespaces: { network: "NODE", pid: "NODE", ipc: "NODE" },
      supplementalGroups: [],
      readonlyRootfs: false,
      noNewPrivs: false,
      maskedPaths: [],
      readonlyPaths: [],
      seccomp: { profileType: "Unconfined", localhostRef: "" },
    },
  },
};
