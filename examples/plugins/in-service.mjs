/**
 * A readiness gate: a pod that names `example.com/in-service` is Ready only while its name stands in a file, one namespace/name a
 * line, as whatever holds the load balancer may write it.
 *
 *     plugins:
 *       - ["./in-service.mjs", { file: /run/in-service }]
 *
 * @type {import("@hooklet/core").NodePlugin<{ file: string }>}
 */
import { readFile } from "node:fs/promises";

const GATE = "example.com/in-service";
const PERIOD_SECONDS = 5;

export default {
  meta: { name: "in-service", api: 1, description: "Readiness gate: pods that the load balancer sends traffic to" },

  options: (z) => z.strictObject({ file: z.string().startsWith("/") }),

  start(ctx, { file }) {
    ctx.provide.readinessGates([GATE]);

    ctx.hooks.tick(PERIOD_SECONDS).tap(async () => {
      // A file that cannot be read fails the tap: hooklet reports it, and the last answer holds.
      const lines = new Set((await readFile(file, "utf8")).split("\n").map((line) => line.trim()));
      for (const pod of ctx.pods.active()) {
        const { name, namespace, uid } = pod.metadata;
        if (!pod.spec.readinessGates?.some(({ conditionType }) => conditionType === GATE)) continue;
        const inService = lines.has(`${namespace}/${name}`);
        ctx.pods.setCondition(uid, GATE, {
          status: inService ? "True" : "False",
          reason: inService ? "InService" : "OutOfService",
        });
      }
    });
  },
};
