/** What a hook costs per call with the guard, against a bare loop over the same functions. */

import { type AdmissionVerdict, type Pod, AdmissionVerdict as Verdict } from "@hooklet/core";
import { createGuardedHooks } from "@hooklet/core/internal";
import { systemClock } from "@hooklet/utils";
import { Bench } from "tinybench";

export const title = "dispatch of podAdmit by number of taps (guarded) against a bare async loop";

const pod: Pod = {
  metadata: { name: "web", namespace: "default", uid: "1" },
  spec: { containers: [{ name: "main", image: "host" }] },
};

export async function run(): Promise<void> {
  const rows: Record<string, string>[] = [];
  for (const taps of [0, 5, 20]) rows.push(await measure(taps));
  console.table(rows);
}

async function measure(taps: number): Promise<Record<string, string>> {
  const guard = createGuardedHooks({
    clock: systemClock,
    onError: (error) => {
      throw error;
    },
  });
  const event = { pod, otherPods: [], running: [], isTakenOver: false, signal: new AbortController().signal };
  const tap = async (verdict: AdmissionVerdict): Promise<AdmissionVerdict> => verdict;
  for (let i = 0; i < taps; i++) guard.forPlugin(`plugin-${i}`).podAdmit.tap(tap);
  const bare = Array.from({ length: taps }, () => tap);
  const bench = new Bench({ time: 300 });
  bench.add("hook", async () => {
    await guard.hooks.podAdmit.promise(Verdict.admitted(), event);
  });
  bench.add("loop", async () => {
    let verdict = Verdict.admitted();
    for (const one of bare) verdict = (await one(verdict)) ?? verdict;
  });
  await bench.run();
  const [hook, loop] = bench.tasks.map((task) => (task.result as { latency: { mean: number } }).latency.mean * 1000);
  return {
    taps: String(taps),
    "hook µs": (hook ?? 0).toFixed(2),
    "bare loop µs": (loop ?? 0).toFixed(2),
    "µs per tap": taps === 0 ? "-" : (((hook ?? 0) - (loop ?? 0)) / taps).toFixed(2),
  };
}
