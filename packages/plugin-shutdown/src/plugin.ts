/** The plugin: the kubelet's graceful node shutdown. */
import { errorText, type Json, type NodeContext, type NodePlugin } from "@hooklet/core";
import { periodsOf, type ShutdownOptions } from "./groups.js";
import type { Logind } from "./logind.js";
import { ShutdownManager } from "./manager.js";
import { options } from "./options.js";
import { logindProcesses } from "./processes.js";
import { notAdmitted } from "./words.js";

const meta = {
  name: "@hooklet/plugin-shutdown",
  api: 1,
  description: "Stops pods in order before the machine goes down",
} as const;

export interface ShutdownParts {
  /** In place of the machine's own, for tests. */
  readonly logind?: Logind;
}

export function createShutdownPlugin({ logind = logindProcesses() }: ShutdownParts = {}): NodePlugin<ShutdownOptions> {
  return {
    meta,
    options,
    start(ctx, given) {
      const periods = periodsOf(given);
      const noted = times(ctx);
      // As in a kubelet: nobody asked for it, and there are only the metrics.
      if (periods.length === 0) return { open: () => noted.load() };
      const manager = new ShutdownManager({ ctx, logind, periods, noted: noted.note });
      // What runs from before a restart of the agent is stopped in its turn, as it would have been without one.
      ctx.hooks.podAdmit.tap((verdict, { running }) =>
        manager.isGoingDown && running.length === 0 ? verdict.reject(notAdmitted) : verdict,
      );
      let running: Promise<void> = Promise.resolve();
      return {
        async open() {
          await noted.load();
          // Before the first pod asks to be let in.
          await manager.lookFirst();
          running = manager.run(ctx.signal);
        },
        health: () => ({ ok: true, message: manager.trouble ?? "a shutdown of the machine waits for the pods" }),
        stop: () => running,
      };
    },
    simulated: (world) => createShutdownPlugin({ logind: world.part("logind") as Logind }),
  };
}

export const plugin = createShutdownPlugin();

/** The times of the last shutdown, as metrics; they outlive the machine's way down and up again. */
function times({ checkpoint, clock, log, metrics }: Pick<NodeContext, "checkpoint" | "clock" | "log" | "metrics">) {
  const file = checkpoint("graceful_node_shutdown_state");
  const gauges = {
    start: metrics.gauge({
      name: "kubelet_graceful_shutdown_start_time_seconds",
      help: "Last graceful shutdown start time since unix epoch in seconds",
    }),
    end: metrics.gauge({
      name: "kubelet_graceful_shutdown_end_time_seconds",
      help: "Last graceful shutdown end time since unix epoch in seconds",
    }),
  };
  const known: { start?: number; end?: number } = {};
  const show = (): void => {
    for (const what of ["start", "end"] as const) gauges[what].set((known[what] ?? 0) / 1_000);
  };
  return {
    async load(): Promise<void> {
      const kept = (await file.read()) as typeof known | undefined;
      for (const what of ["start", "end"] as const) {
        if (typeof kept?.[what] === "number") known[what] = Math.min(kept[what], clock.now());
      }
      show();
    },
    note(what: "start" | "end", at: number): void {
      known[what] = at;
      if (what === "start") delete known.end;
      show();
      file
        .write({ ...known } as Json)
        .catch((error: unknown) => log.warn(`the time of the shutdown was not kept: ${errorText(error)}`));
    },
  };
}
