// A run in namespaces of its own for mounts and processes, as tests expect a node to be: all mounts shared (systemd leaves them so;
// containerd refuses mountPropagation Bidirectional otherwise), and a first process whose mounts pods with hostPID may enter.
import { spawn } from "node:child_process";

const MARK = "HOOKLET_OWN_MOUNTS";
/** The first process of its namespace inherits all orphans: a shell does not leave them as zombies. */
const FIRST = ["bash", "-c", '"$@" & wait $!', "bash"];

/** The exit code of the same command in there; undefined: this process is there already. */
export function inOwnMounts() {
  if (process.env[MARK] !== undefined) return undefined;
  const namespaces = ["--mount", "--propagation=shared", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const words = [...namespaces, ...FIRST, process.execPath, ...process.argv.slice(1)];
  const child = spawn("unshare", words, { stdio: "inherit", env: { ...process.env, [MARK]: "1" } });
  // Signals reach the whole group; this process waits until the cluster is removed.
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => undefined);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}
