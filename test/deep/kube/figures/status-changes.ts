/** Many pods change at once: how long until the API says so, and where that time goes. */
import { until } from "../../../support/agent.js";
import { IDLE, kubectl, type Place, pod } from "../cluster.js";
import { ContainerdEvents } from "./containerd-events.js";
import type { PodWatch } from "./pod-watch.js";
import { containerPids } from "./process.js";
import { firstStatuses } from "./wire.js";

export const CHANGING = 50;

export interface ChangesOptions {
  readonly place: Place;
  readonly watch: PodWatch;
  readonly endpoint: string;
  readonly node: string;
  /** Seconds in which all of them end. */
  readonly within: number;
}

/** Milliseconds, one of each pod. */
export interface Changes {
  /** From the kill of the container until a watch of the API shows that the pod has failed. */
  readonly whole: readonly number[];
  /** The parts of that: until containerd has reported it; until the API server has the agent's request; until the watch shows it. */
  readonly containerd: readonly number[];
  readonly agent: readonly number[];
  readonly server: readonly number[];
}

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

export async function changesOf({ place, watch, endpoint, node, within }: ChangesOptions): Promise<Changes> {
  const names = Array.from({ length: CHANGING }, (_, i) => `ends-${within}-${i}`);
  await place.apply(...names.map((name) => pod(name, { command: ["sh", "-c", IDLE] }, { restartPolicy: "Never" })));
  await until("all run", async () => names.every((name) => watch.seen.get(name)?.ready !== undefined), 120);
  const events = new ContainerdEvents(endpoint);
  try {
    await pause(3);
    const ids = new Map(
      (await place.pods()).map((one) => [
        one.metadata.name,
        one.status.containerStatuses?.[0]?.containerID?.replace(/^.*:\/\//, "") ?? "",
      ]),
    );
    const killed = await killAll(names, ids, endpoint, within / CHANGING);
    await until("all have ended", async () => names.every((name) => watch.seen.get(name)?.ended !== undefined), 120);
    const asked = firstStatuses(node, place.namespace, killed);
    const changes = names.map((name) => ({
      killed: killed.get(name) ?? Number.NaN,
      cleared: events.seen.get(ids.get(name) ?? "")?.cleared ?? Number.NaN,
      asked: asked.get(name) ?? Number.NaN,
      ended: watch.seen.get(name)?.ended ?? Number.NaN,
    }));
    await kubectl("delete", "pods", "-n", place.namespace, ...names, "--wait=false");
    await until(
      "they are gone",
      async () => !(await place.pods()).some(({ metadata }) => names.includes(metadata.name)),
      120,
    );
    return {
      whole: changes.map(({ killed, ended }) => ended - killed),
      containerd: changes.map(({ killed, cleared }) => cleared - killed),
      agent: changes.map(({ cleared, asked }) => asked - cleared),
      server: changes.map(({ asked, ended }) => ended - asked),
    };
  } finally {
    events.stop();
  }
}

/** One after the other, so many seconds apart; when each was killed, by name. */
async function killAll(
  names: readonly string[],
  ids: ReadonlyMap<string, string>,
  endpoint: string,
  apart: number,
): Promise<ReadonlyMap<string, number>> {
  const pids = containerPids(endpoint);
  const killed = new Map<string, number>();
  for (const name of names) {
    const pid = pids.get(ids.get(name) ?? "");
    if (pid === undefined) throw new Error(`${name} has no process`);
    killed.set(name, Date.now());
    process.kill(pid, "SIGKILL");
    await pause(apart);
  }
  return killed;
}
