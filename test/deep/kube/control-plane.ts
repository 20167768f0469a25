/** The control plane's programs are processes of this machine, in a network namespace of their own: they can be killed and held. */
import { renameSync, statSync } from "node:fs";
import path from "node:path";
import { allPids, commandOf } from "../../../scripts/machine.mjs";
import { until } from "../../support/agent.js";
import { kubectl, there } from "./cluster.js";

/** The process itself, not those that started it. */
export function apiServerPid(): number {
  const inside = statSync(there.namespace).ino;
  const pid = allPids().find((one) => isApiServer(one) && namespaceOf(one) === inside);
  if (pid === undefined) throw new Error("the API server does not run");
  return pid;
}

export function signalApiServer(signal: NodeJS.Signals): void {
  process.kill(apiServerPid(), signal);
}

/** Waits until the agent that runs it has started the next one; what was sent to this one and not read is lost. */
export async function killApiServer(): Promise<void> {
  const pid = apiServerPid();
  signalApiServer("SIGKILL");
  await until("the next API server answers", async () => (await answers()) && apiServerPid() !== pid, 180);
}

/** Takes its manifest away, so that hooklet stops it, or kills it first; does what is to be done meanwhile, and waits until it answers again. */
export async function withoutApiServer(meanwhile: () => Promise<void>, signal?: NodeJS.Signals): Promise<void> {
  const file = path.join(there.manifests, "kube-apiserver.json");
  const aside = path.join(there.manifests, "../kube-apiserver.json");
  renameSync(file, aside);
  try {
    if (signal !== undefined) signalApiServer(signal);
    await until("the API server is gone", async () => !(await answers()));
    await meanwhile();
  } finally {
    renameSync(aside, file);
  }
  await until("the API server answers", answers, 180);
}

export function answers(): Promise<boolean> {
  return kubectl("get", "--raw=/readyz", "--request-timeout=2s").then(
    () => true,
    () => false,
  );
}

function isApiServer(pid: number): boolean {
  return commandOf(pid)[0]?.endsWith("/kube-apiserver") === true;
}

function namespaceOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}/ns/net`, { throwIfNoEntry: false })?.ino;
}
