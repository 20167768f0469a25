import { accessSync } from "node:fs";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, extname, resolve } from "node:path";
import { printLine } from "@hooklet/cli/extend";
import { errno, errorText, invalid, NodeAgentError } from "@hooklet/utils";
import type { AgentContext } from "../agent-context.js";

export interface InitOptions {
  readonly config?: string;
}

const SOCKETS = ["/run/containerd/containerd.sock", "/run/crio/crio.sock"];

/** `hooklet init`: an rc file with comments for this machine, and the folder of manifests that it names. */
export async function init({ io }: AgentContext, { config = ".hookletrc.yaml" }: InitOptions): Promise<number> {
  const file = resolve(io.cwd(), config);
  if (!["", ".yaml", ".yml"].includes(extname(file)))
    throw invalid("--config", "a file that ends in .yaml or .yml, because init writes YAML", config);
  if ((await stat(file).catch(() => undefined))?.isDirectory() === true)
    throw invalid("--config", "the name of a file", `the directory ${config}`);
  const isNode = file.startsWith("/etc/");
  const machine: Machine = {
    name: hostname().toLowerCase(),
    isRoot: process.geteuid?.() === 0,
    criSocket: SOCKETS.find(exists),
    manifests: isNode ? "/etc/kubernetes/manifests" : "./manifests",
  };
  const manifests = resolve(dirname(file), machine.manifests);
  await mkdir(dirname(file), { recursive: true, mode: 0o755 });
  await writeNew(file, rcText(machine));
  await mkdir(manifests, { recursive: true, mode: 0o755 });
  await printLine(io.stdout, `${file} written; manifests of pods go into ${manifests}.`);
  const option = config === ".hookletrc.yaml" ? "" : ` --config ${config}`;
  await printLine(io.stdout, `Next: hooklet check${option}, then hooklet run${option}`);
  return 0;
}

/** @throws NodeAgentError INVALID when it is there already */
export async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: "wx", mode: 0o644 });
  } catch (cause) {
    const why = errno(cause) === "EEXIST" ? "it exists already" : errorText(cause);
    const what = `Cannot write ${file}: ${why}. Remove it, or name another file.`;
    throw new NodeAgentError("INVALID", what, { cause });
  }
}

function exists(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}

// The rc file that `hooklet init` writes.

export interface Machine {
  readonly name: string;
  readonly isRoot: boolean;
  /** Of a container runtime that is here; undefined: none is. */
  readonly criSocket: string | undefined;
  /** Relative to the rc file, or absolute. */
  readonly manifests: string;
}

export function rcText({ name, isRoot, criSocket, manifests }: Machine): string {
  const cri =
    criSocket === undefined
      ? "# No containerd or CRI-O was found on this machine. With one:\n# runtime: { use: cri, options: { endpoint: unix:///run/containerd/containerd.sock } }\nruntime: process"
      : isRoot
        ? `# Real containers. \`runtime: process\` runs pods as local processes instead.\nruntime: { use: cri, options: { endpoint: "unix://${criSocket}" } }`
        : `# Local processes. As root this machine's ${criSocket} could be used:\n# runtime: { use: cri, options: { endpoint: "unix://${criSocket}" } }\nruntime: process`;
  return `# hooklet's rc file. All options: docs/reference/rc-file.md. "hooklet check" shows every setting with its origin.

node:
  name: ${JSON.stringify(name)}
  # maxPods: 110
  # Kept for the system, taken off what pods may have:
  # systemReserved: { cpu: 100m, memory: 256Mi }

${cri}

sources:
  # Every file in here is a pod: it runs as long as the file is there.
  manifests: ${manifests}

# Health and metrics on 127.0.0.1; 0 = none.
port: 10248

# hooklet's own plugins run with the kubelet's defaults. An entry configures one, adds one, or switches one off:
# plugins:
#   - [imagegc, { imageGCHighThresholdPercent: 85, imageGCLowThresholdPercent: 80 }]
#   - ./my-plugin/index.js            # "hooklet create plugin my-plugin" writes it
#   - [probe, false]
`;
}
