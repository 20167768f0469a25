/** The plugin: taps, and what ties the parts together. */
import { errorText, type NodePlugin } from "@hooklet/core";
import { Budgets } from "./budgets.js";
import { extraFaults } from "./extras.js";
import { NetworkApart } from "./handlers/apart.js";
import { attempt, type MakeAttempt, type ProbeNetwork } from "./handlers/run.js";
import { type SimulatedProbes, simulatedAttempt } from "./handlers/simulated.js";
import { foreignHost } from "./host-rule.js";
import { memoryOf, Remembered, readMemory, takeUp } from "./memory.js";
import { MemoryFile } from "./memory-file.js";
import { options, type ProbeOptions } from "./options.js";
import { Prober } from "./prober.js";
import { schedules } from "./schedule/strategies.js";
import { probesView } from "./view.js";

const CLEANUP_SECONDS = 60;

/** `network`: in place of real connections, for tests; `make`: in place of whole attempts, for simulations. */
export function createProbePlugin(network?: ProbeNetwork, make: MakeAttempt = attempt): NodePlugin<ProbeOptions> {
  return {
    simulated: (world) => createProbePlugin(network, simulatedAttempt(world.part("probes") as SimulatedProbes)),
    meta: { name: "@hooklet/plugin-probe", api: 1, description: "Liveness, readiness and startup probes" },
    options: options as NodePlugin<ProbeOptions>["options"],
    strategies: { schedule: schedules },

    start(ctx, { schedule, ...given }) {
      const budgets = new Budgets(ctx.clock, given, (text) => {
        ctx.log.warn(text);
        ctx.events.node("Warning", "ProbeBudgetExhausted", text);
      });
      const checkpoint = ctx.checkpoint("containers");
      const memory = new MemoryFile({
        checkpoint,
        clock: ctx.clock,
        log: ctx.log,
        memory: () => memoryOf(prober.containers, remembered),
      });
      const remembered = new Remembered();
      const apart = new NetworkApart(ctx);
      const prober: Prober = new Prober({
        ctx,
        schedule,
        network: network ?? apart,
        make,
        budgets,
        changed: () => memory.changed(),
      });

      ctx.hooks.podAdmit.tap((verdict, { pod, running }) => {
        const host = given.hosts === "pod" ? foreignHost(pod) : undefined;
        if (host !== undefined) return verdict.reject({ reason: "ProbeHostNotAllowed", message: host });
        const fault = extraFaults(pod, given);
        if (fault !== undefined) return verdict.reject({ reason: "ProbeAnnotationNotAllowed", message: fault });
        prober.came(pod.metadata.uid);
        takeUp(prober, remembered, { pod, running, now: ctx.clock.now() });
        verdict.undo(() => prober.removed(pod.metadata.uid));
      });

      ctx.hooks.containerStart.tap((plan, { pod, container, kind }) => {
        const shown = kind === "init" ? undefined : prober.prepare(pod, container);
        if (shown === undefined) return;
        if (!shown.ready) plan.holdReady();
        if (!shown.started) plan.holdStarted();
        plan.afterStart((started) => prober.started(started));
      });

      ctx.hooks.podTerminate.tap((event) => {
        prober.stopping(event.pod);
        event.afterStop(() => prober.removed(event.pod.metadata.uid));
      });

      ctx.hooks.tick(CLEANUP_SECONDS).tap(() => prober.cleanup());

      return {
        async open(observed) {
          try {
            remembered.open(readMemory(await checkpoint.read()), observed);
          } catch (error) {
            ctx.log.warn(
              `what was remembered of containers cannot be used: ${errorText(error)}; those that run are probed as if they had just started`,
            );
          }
        },
        views: { probes: probesView(prober, ctx) },
        health() {
          const probes = [...prober.workers.all()].length;
          const late = prober.scheduler.lateness.quantile(0.99);
          const texts = [
            `${probes} probes`,
            ...(late === undefined ? [] : [`99 % begin within ${late.toFixed(1)} ms of their time`]),
          ];
          return { ok: true, message: [...texts, ...[budgets.waiting() ?? []].flat()].join(", ") };
        },
        async stop() {
          await memory.flush();
          prober.stop();
          budgets.stop();
          apart.close();
        },
      };
    },
  };
}
