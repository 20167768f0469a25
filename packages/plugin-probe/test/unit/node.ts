/** A whole agent with the plugin in virtual time, and a network whose answers are given. */
import type { Pod } from "@hooklet/core";
import { aPod, type ContainerParts, type PodParts, startTestAgent, type TestAgentOptions } from "@hooklet/testkit";
import type { ProbeNetwork } from "../../src/index.js";
import { createProbePlugin } from "../../src/internal.js";
import type { Attempt } from "../../src/types.js";

export type Agent = Awaited<ReturnType<typeof startTestAgent>>;

export const success: Attempt = { result: "success", output: "ok" };
export const failure: Attempt = { result: "failure", output: "HTTP probe failed with statuscode: 500" };
export const broken: Attempt = { result: "unknown", output: "", error: "connection gone" };

/** What the server at `/KIND` answers, `at` milliseconds after the story began. */
export type Answer = (kind: string, at: number) => Attempt | Promise<Attempt>;

export interface Story {
  readonly agent: Agent;
  /** What happened, as `SECONDS what`: probes, and changes of the container's status. Starts again with each call. */
  passes(milliseconds: number): Promise<readonly string[]>;
  answer(answer: Answer): void;
}

export interface StoryParts {
  readonly options?: unknown;
  readonly node?: Partial<TestAgentOptions>;
  /** Milliseconds that the agent has run when the pod comes. Default: an hour, so that there is no jitter. */
  readonly agentAge?: number;
  /** Milliseconds that the start of a container takes. Default 0. */
  readonly startDelay?: number;
  readonly answer?: Answer;
  /** Milliseconds that containers live on after TERM. Default 0. */
  readonly stubborn?: number;
}

/** A story of one pod; `main` has HTTP probes of these kinds, each with its own path. */
export async function story(pod: Pod, parts: StoryParts = {}): Promise<Story> {
  const { options = {}, node = {}, agentAge = 3_600_000, startDelay = 0, stubborn = 0 } = parts;
  let answer: Answer = parts.answer ?? (() => success);
  let lines: string[] = [];
  let origin = 0;
  const at = (): number => agent.clock.monotonic() - origin;
  const tell = (text: string): void => void lines.push(`${at() / 1000} ${text}`);
  const network: ProbeNetwork = {
    async http(_, { url }) {
      const kind = url.path.slice(1);
      tell(`probe ${kind}`);
      return answer(kind, at());
    },
    tcp: async () => success,
    grpc: async () => success,
  };
  const agent = await startTestAgent({ plugins: [[createProbePlugin(network), options]], ...node });
  await agent.advance(agentAge);
  agent.runtime.delay("startContainer", startDelay);
  if (stubborn > 0) {
    agent.runtime.script({}, (process) => process.onTerm(() => process.after(stubborn, () => process.exit(0))));
  }
  origin = agent.clock.monotonic();
  await agent.apply(pod);
  let shown = "";
  return {
    agent,
    answer(next) {
      answer = next;
    },
    async passes(milliseconds) {
      await agent.clock.advanceUntil(() => {
        const now = look(agent, pod.metadata.name);
        if (now !== shown) tell(now);
        shown = now;
        return false;
      }, milliseconds);
      const reported = lines;
      lines = [];
      return reported;
    },
  };
}

function look(agent: Agent, name: string): string {
  const { status } = agent.pod(name);
  const [main] = status?.containerStatuses ?? [];
  const state = Object.keys(main?.state ?? {})[0] ?? "unknown";
  const words = [state, main?.started === true ? "started" : "", main?.ready === true ? "ready" : ""];
  const restarts = main?.restartCount ?? 0;
  return [...words.filter((word) => word !== ""), ...(restarts > 0 ? [`restarts ${restarts}`] : [])].join(" ");
}

type Kind = "startup" | "readiness" | "liveness";

/** A pod whose container `main` has HTTP probes. */
export function probed(kinds: Partial<Record<Kind, object>>, container: ContainerParts = {}, pod: PodParts = {}): Pod {
  const probes = Object.fromEntries(
    Object.entries(kinds).map(([kind, numbers]) => [
      `${kind}Probe`,
      { httpGet: { path: `/${kind}`, port: 80 }, ...numbers },
    ]),
  );
  return aPod({ ...pod, containers: [{ ...probes, ...container }] });
}

export const warnings = (agent: Agent): readonly string[] =>
  agent
    .events()
    .filter(({ reason }) => ["Unhealthy", "ProbeWarning", "Killing", "ProbeBudgetExhausted"].includes(String(reason)))
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
