/** The plugin: the kubelet's graceful node shutdown. */
import { errorText, type NodeContext, type NodePlugin } from "@hooklet/core";
import { periodsOf, type ShutdownOptions } from "./groups.js";
import { logind } from "./logind.js";
import { ShutdownManager } from "./manager.js";
import { notAdmitted } from "./messages.js";
import { options } from "./options.js";

const meta = {
  name: "@hooklet/plugin-shutdown",
  api: 1,
  description: "Stops pods in order before the machine goes down",
} as const;

export const plugin: NodePlugin<ShutdownOptions> = {
  meta,
  options,
  start(ctx, given) {
    const periods = periodsOf(given);
    const noted = times(ctx);
    // As in a kubelet: not configured, so there are only the metrics.
    if (periods.length === 0) return { open: () => noted.load() };
    const manager = new ShutdownManager({ ctx, logind: ctx.world.get(logind), periods, noted: noted.note });
    // What runs from before a restart of the agent is stopped in its turn, as it would have been without one.
    ctx.hooks.podAdmit.tap((verdict, { running }) =>
      manager.isGoingDown && running.length === 0 ? verdict.reject(notAdmitted) : verdict,
    );
    let running: Promise<void> = Promise.resolve();
    return {
      async open() {
        await noted.load();
        // Before the first pod is admitted.
        await manager.lookFirst();
        running = manager.run(ctx.signal);
      },
      health: () => ({ ok: true, message: manager.trouble ?? "a shutdown of the machine waits for the pods" }),
      stop: () => running,
    };
  },
};

/** The times of the last shutdown, as metrics; they outlive the machine's way down and up again. */
function times({ checkpoint, clock, log, metrics }: Pick<NodeContext, "checkpoint" | "clock" | "log" | "metrics">) {
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
  let known: { readonly start?: number | undefined; readonly end?: number | undefined } = {};
  const kept = checkpoint("graceful_node_shutdown_state").keep<typeof known>({
    value: () => known,
    schema: (z) => z.object({ start: z.number().optional(), end: z.number().optional() }),
    failed: (error) => log.warn(`the time of the shutdown was not kept: ${errorText(error)}`),
  });
  const show = (): void => {
    for (const what of ["start", "end"] as const) gauges[what].set((known[what] ?? 0) / 1_000);
  };
  return {
    async load(): Promise<void> {
      const { start, end } = (await kept.read()) ?? {};
      const past = (time: number | undefined) => time && Math.min(time, clock.now());
      known = { start: past(start), end: past(end) };
      show();
    },
    note(what: "start" | "end", at: number): void {
      known = what === "start" ? { start: at } : { ...known, end: at };
      show();
      void kept.saved();
    },
  };
}
