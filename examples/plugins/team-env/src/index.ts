/**
 * Tells every container which team it belongs to: the pod's label becomes an environment variable and an annotation of
 * the container. The manifest's own value of the variable is replaced, so that no pod runs under another team's name.
 */
import type { NodePlugin } from "@hooklet/core";

export interface TeamEnvOptions {
  /** Label of the pod that names the team. */
  readonly label: string;
  /** Name of the environment variable. */
  readonly env: string;
  /** Team of pods without the label; without it they are left alone. */
  readonly fallback?: string | undefined;
}

const plugin: NodePlugin<TeamEnvOptions> = {
  meta: { name: "@hooklet-examples/team-env", api: 1, description: "Names the team in every container" },

  options: (z) =>
    z.object({
      label: z.string().min(1).default("example.com/team"),
      env: z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: "the name of an environment variable" })
        .default("TEAM"),
      fallback: z.string().min(1).optional(),
    }),

  start(ctx, { label, env, fallback }) {
    const containers = ctx.metrics.counter({
      name: "team_env_containers_total",
      help: "Containers started, by team.",
      labels: ["team"],
    });

    ctx.hooks.containerStart.tap((plan, { pod }) => {
      const team = pod.metadata.labels?.[label] ?? fallback;
      if (team === undefined) return;
      plan.setEnv(env, team);
      plan.setAnnotation(label, team);
      plan.afterStart(() => containers.inc({ team }));
    });
  },
};

export default plugin;
