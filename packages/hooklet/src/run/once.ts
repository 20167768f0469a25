/** `run --once`: waits until every pod has come to where it was to come. */

import { summarize } from "@hooklet/cli/print";
import type { AgentApi, HealthReport } from "@hooklet/core/host";
import type { Pod } from "@hooklet/manifest";
import { type Clock, sleep } from "@hooklet/utils";
import { isSettled } from "./settled.js";

const LOOK_AGAIN_MILLISECONDS = 250;
/** A container that ends as soon as it starts is Ready for a moment: that is not where its pod was to come. */
const HOLDS_MILLISECONDS = 1_000;

export type Outcome =
  | { readonly kind: "settled" }
  | { readonly kind: "timeout"; readonly waitingFor: readonly string[] };

/** Settled: all sources are read and for a second each pod is Ready or has ended. Rejects when the signal aborts. */
export async function allSettled(api: AgentApi, clock: Clock, timeout: number, signal: AbortSignal): Promise<Outcome> {
  const deadline = clock.monotonic() + timeout;
  let since = Number.POSITIVE_INFINITY;
  for (;;) {
    const ready = await api.ready();
    const pods = api.pods();
    if (!ready.ok || !pods.every(isSettled)) since = Number.POSITIVE_INFINITY;
    else since = Math.min(since, clock.monotonic());
    if (clock.monotonic() - since >= HOLDS_MILLISECONDS) return { kind: "settled" };
    if (clock.monotonic() >= deadline) return { kind: "timeout", waitingFor: obstacles(pods, ready) };
    await changed(api, clock, Math.min(LOOK_AGAIN_MILLISECONDS, deadline - clock.monotonic()), signal);
  }
}

function obstacles(pods: readonly Pod[], ready: HealthReport): readonly string[] {
  const unsettled = pods.filter((pod) => !isSettled(pod));
  const parts = ready.parts.filter(({ ok }) => !ok);
  const named = [
    ...unsettled.map((pod) => `${pod.metadata.name} (${summarize(pod).status})`),
    ...parts.map(({ name, message }) => `${name}: ${message ?? "not ready"}`),
  ];
  return named.length > 0 ? named : ["pods that stay Ready for a second"];
}

/** Resolves at the next change of a pod, or when the time has passed. */
async function changed(api: AgentApi, clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  const wake = new AbortController();
  const unwatch = api.watchPods(() => wake.abort());
  try {
    await sleep(clock, milliseconds, AbortSignal.any([signal, wake.signal]));
  } catch (error) {
    if (!wake.signal.aborted) throw error;
  } finally {
    unwatch();
  }
}

/** What makes `--once` exit with 1 although everything settled. */
export function failures(api: AgentApi): readonly string[] {
  const failed = api.pods().filter(({ status }) => status?.phase === "Failed");
  const unusable = api.events().filter(({ reason }) => reason === "InvalidManifest");
  return [
    ...failed.map(
      ({ metadata, status }) => `pod ${metadata.name} failed${status?.reason ? ` (${status.reason})` : ""}`,
    ),
    ...unusable.map(({ message }) => message ?? "a manifest cannot be used"),
  ];
}
