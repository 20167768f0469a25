/** /healthz and /readyz in named parts. */

import type { Runtime } from "@hooklet/cri-api";
import { type Clock, errorText, withDeadline } from "@hooklet/utils";
import type { NodeConditions } from "../node/conditions.js";
import type { HealthPart } from "../plugin/contract.js";
import type { PluginHost } from "../plugin/plugin-host.js";
import type { HealthReport } from "./api.js";
import type { SourcesHub } from "./sources-hub.js";

const RUNTIME_ANSWER = 5_000;

export interface HealthParts {
  readonly clock: Clock;
  readonly runtime: Pick<Runtime, "name" | "health">;
  readonly host: Pick<PluginHost, "health">;
  readonly hub: Pick<SourcesHub, "silent">;
  readonly conditions: Pick<NodeConditions, "get">;
}

type NamedPart = HealthReport["parts"][number];

export function createHealth(parts: HealthParts): {
  health(): Promise<HealthReport>;
  ready(): Promise<HealthReport>;
  /** The runtime alone. Never rejects. */
  runtime(): Promise<HealthPart>;
} {
  const alive = async (): Promise<readonly NamedPart[]> => [await runtimePart(parts), ...parts.host.health()];
  return {
    health: async () => report(await alive()),
    runtime: () => runtimePart(parts),
    ready: async () => {
      const silent = parts.hub.silent();
      return report([
        {
          name: "sources",
          ok: silent.length === 0,
          ...(silent.length === 0 ? {} : { message: `not read yet: ${silent.join(", ")}` }),
        },
        ...nodePart(parts),
        ...(await alive()),
      ]);
    },
  };
}

/** The node's own condition Ready, where a plugin sets one. */
function nodePart({ conditions }: HealthParts): readonly NamedPart[] {
  const ready = conditions.get("Ready");
  if (ready === undefined) return [];
  return [{ name: "node", ok: ready.status === "True", message: `${ready.reason}: ${ready.message}` }];
}

function report(parts: readonly NamedPart[]): HealthReport {
  return { ok: parts.every((part) => part.ok), parts };
}

async function runtimePart({ runtime, clock }: HealthParts): Promise<NamedPart> {
  const late = (): Error => new Error(`container runtime is down: no answer within ${RUNTIME_ANSWER / 1000} s`);
  const name = `runtime ${runtime.name}`;
  const result = await withDeadline(clock, RUNTIME_ANSWER, runtime.health(), late).then(
    (message): HealthPart => (message === undefined ? { ok: true } : { ok: false, message }),
    (error: unknown): HealthPart => ({ ok: false, message: errorText(error) }),
  );
  return { name, ...result };
}
