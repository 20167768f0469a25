/** The plugin: taps, and what ties the parts together. */
import { errorText, type NodePlugin } from "@hooklet/core";
import { annotationFaults, foreignHost } from "./annotations.js";
import { type ProbeNetwork, probeAttempts, realNetwork } from "./handlers/attempt.js";
import { GrpcSubprocess } from "./handlers/grpc-subprocess.js";
import { options, type ProbeOptions } from "./options.js";
import { ProbeLimits } from "./probe-limits.js";
import { Prober } from "./prober.js";
import { keepMemory, memoryOf, Remembered, takeUp } from "./remembered-containers.js";
import { type Schedule, schedules } from "./schedules.js";
import { probesView } from "./view.js";

const CLEANUP_SECONDS = 60;

type ProbePlugin = NodePlugin<ProbeOptions, { readonly schedule: Schedule }>;

/** `network`: in place of real connections, for tests. */
export function createProbePlugin(network?: ProbeNetwork): ProbePlugin {
  return {
    meta: { name: "@hooklet/plugin-probe", api: 1, description: "Liveness, readiness and startup probes" },
    options,
    strategies: { schedule: schedules },

    start(ctx, given, { schedule }) {
      const limits = new ProbeLimits(ctx.clock, given, (text) => {
        ctx.log.warn(text);
        ctx.events.node("Warning", "ProbeBudgetExhausted", text);
      });
      const memory = keepMemory(ctx, () => memoryOf(prober.containers, remembered));
      const remembered = new Remembered();
      const subprocess = new GrpcSubprocess(ctx);
      const prober: Prober = new Prober({
        ctx,
        schedule,
        network: network ?? { ...realNetwork, grpc: (clock, request) => subprocess.probe(clock, request) },
        make: ctx.world.get(probeAttempts),
        limits,
        changed: () => memory.changed(),
      });

      ctx.hooks.podAdmit.tap((verdict, { pod, running }) => {
        const host = given.hosts === "pod" ? foreignHost(pod) : undefined;
        if (host !== undefined) return verdict.reject({ reason: "ProbeHostNotAllowed", message: host });
        const fault = annotationFaults(pod, given);
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
            remembered.open((await memory.read()) ?? { containers: {} }, observed);
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
          return { ok: true, message: [...texts, ...[limits.waiting() ?? []].flat()].join(", ") };
        },
        async stop() {
          await memory.close();
          prober.stop();
          limits.stop();
          subprocess.close();
        },
      };
    },
  };
}
