/** The control plane's programs are processes of this machine, in a network namespace of their own: they can be killed and held. */
import { readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import { until } from "../agent.js";
import { kubectl, there } from "./cluster.js";

/** The process itself, not those that started it. */
export function apiServerPid(): number {
  const inside = statSync(there.namespace).ino;
  const pid = readdirSync("/proc").find((one) => isApiServer(one) && namespaceOf(one) === inside);
  if (pid === undefined) throw new Error("the API server does not run");
  return Number(pid);
}

export function signalApiServer(signal: NodeJS.Signals): void {
  process.kill(apiServerPid(), signal);
}

/** Takes its manifest away: hooklet stops it, until `back`. */
export async function withoutApiServer(): Promise<{ back(): Promise<void> }> {
  const file = path.join(there.manifests, "kube-apiserver.json");
  const aside = path.join(there.manifests, "../kube-apiserver.json");
  renameSync(file, aside);
  await until("the API server is gone", async () => !(await answers()));
  return {
    async back() {
      renameSync(aside, file);
      await until("the API server answers", answers, 60);
    },
  };
}

export function answers(): Promise<boolean> {
  return kubectl("get", "--raw=/readyz", "--request-timeout=2s").then(
    () => true,
    () => false,
  );
}

function isApiServer(pid: string): boolean {
  return read(`/proc/${pid}/cmdline`).split("\0")[0]?.endsWith("/kube-apiserver") === true;
}

function namespaceOf(pid: string): number | undefined {
  return statSync(`/proc/${pid}/ns/net`, { throwIfNoEntry: false })?.ino;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // it has ended
  }
}
