/** What an agent does with pods, each from its coming to its end: all that leaves the agent. */
import { existsSync, readFileSync, statSync } from "node:fs";
import {
  bindSeam,
  SimulatedHost,
  SimulatedRuntime,
  startTestAgent,
  type TestAgent,
  VirtualClock,
} from "@hooklet/testkit";
import cgroups from "../../../../../plugin-cgroups/src/index.js";
import eviction from "../../../../../plugin-eviction/src/index.js";
import { attempt, type ProbeNetwork, probeAttempts } from "../../../../../plugin-probe/src/handlers/attempt.js";
import { createProbePlugin } from "../../../../../plugin-probe/src/plugin.js";
import stats from "../../../../../plugin-stats/src/index.js";
import type { TestNodeOptions } from "../../../../../testkit/src/test-agent/test-agent.js";
import type { Manifest } from "./walk.js";

export const products = ["sandbox", "containers", "calls", "requests", "status", "files", "cgroups"] as const;

/**
 * Where a field may show: what the runtime is given for the pod; what it is given for containers, without the annotations that only
 * repeat the manifest; what else is asked of it, and when; probes and hooks over the network, and when; each status; the
 * files that are mounted into containers, with group and mode; what is written to cgroups.
 */
export type Product = (typeof products)[number];
export type Trace = Readonly<Record<Product, readonly unknown[]>>;

export interface TracedPod {
  readonly manifest: Manifest;
  /** After a minute, in place of the end of its containers with code 3. */
  readonly meanwhile?: (agent: TestAgent, manifest: Manifest) => Promise<void>;
}

/** Ports whose probes fail: always, for the first half minute, and after it. */
export const FAILING = 6666;
export const LATE = 7777;
export const EARLY = 5555;
const HALF_MINUTE = 30_000;

/** Milliseconds between two reads of the statuses. */
const STEP = 5_000;

const CALLS = ["startContainer", "stopContainer", "updateContainerResources", "execSync"] as const;

/** By name, what one agent does with all of these pods. Names, and so uids, are those of the manifests. */
export async function tracesOf(pods: readonly TracedPod[], node: TestNodeOptions): Promise<ReadonlyMap<string, Trace>> {
  const clock = new VirtualClock();
  const began = clock.monotonic();
  const at = (): number => Math.round(clock.monotonic() - began);
  const traces = new Map<string, Record<Product, unknown[]>>();
  const of = (name: string): Record<Product, unknown[]> => {
    const found =
      traces.get(name) ??
      (Object.fromEntries(products.map((one) => [one, []])) as unknown as Record<Product, unknown[]>);
    traces.set(name, found);
    return found;
  };
  const host = new SimulatedHost({ clock });
  const runtime = new SimulatedRuntime({
    clock,
    writeLogs: true,
    images: [{ names: ["app:1"] }, { names: ["other:1"] }, { names: ["own:1"] }],
    programs: {
      app: (process) => {
        process.print("last words\n");
        process.onTerm(() => process.after(2_000, () => process.exit(0)));
      },
    },
  });
  /** By the runtime's id. */
  const owners = new Map<string, { readonly pod: string; readonly container: string }>();
  const watched = runtime as unknown as Record<string, (...words: unknown[]) => Promise<unknown>>;
  const watch = (name: string, note: (words: readonly unknown[], answer: Promise<unknown>) => void): void => {
    const call = watched[name]?.bind(runtime);
    watched[name] = (...words) => {
      const answer = call?.(...words) as Promise<unknown>;
      note(words, answer);
      return answer;
    };
  };
  watch("runSandbox", ([given]) => {
    const { annotations, ...config } = given as Config;
    // The agent's own memory of the pod repeats the manifest.
    const others = Object.entries(annotations).filter(([key]) => !/^(hooklet\.dev|kubernetes\.io)\//.test(key));
    of(config.metadata.name).sandbox.push({ ...config, annotations: others });
  });
  watch("createContainer", ([, given, sandbox], answer) => {
    const { annotations: _, ...config } = given as Config;
    const pod = (sandbox as Config).metadata.name;
    of(pod).containers.push(config);
    for (const { hostPath } of config.mounts) of(pod).files.push(fileAt(hostPath));
    const owner = { pod, container: config.metadata.name };
    void answer.then((id) => owners.set(String(id), owner)).catch(() => undefined);
  });
  for (const name of CALLS) {
    watch(name, ([id, ...words]) => {
      const owner = owners.get(String(id));
      const rest = words.filter((word) => !(word instanceof AbortSignal));
      if (owner !== undefined) of(owner.pod).calls.push([at(), name, owner.container, ...rest]);
    });
  }
  watch("pullImage", ([image]) => {
    const users = pods.filter(({ manifest }) => JSON.stringify(manifest).includes(`"${String(image)}"`));
    if (users.length === 1) of(users[0]?.manifest.metadata.name).calls.push([at(), "pullImage", image]);
  });
  const network = (pod: string): ProbeNetwork => {
    const answer = async (request: object): Promise<{ result: "success" | "failure"; output: string }> => {
      of(pod).requests.push([at(), request]);
      const asks = (port: number): boolean => JSON.stringify(request).includes(String(port));
      const fails = asks(FAILING) || (asks(LATE) && at() < HALF_MINUTE) || (asks(EARLY) && at() >= HALF_MINUTE);
      return { result: fails ? "failure" : "success", output: "" };
    };
    return {
      http: (_, request) => answer(request),
      tcp: (_, request) => answer(request),
      grpc: (_, request) => answer(request),
    };
  };
  const answers = bindSeam(probeAttempts, (ports, spec, subject) =>
    attempt({ ...ports, network: network(owners.get(subject.containerId)?.pod ?? "") }, spec, subject),
  );
  const agent = await startTestAgent({
    clock,
    host,
    runtime,
    keep: true,
    node: { maxPods: 1000, capacity: { cpu: "1000", memory: "1000Gi" }, ...node },
    world: [answers],
    plugins: [createProbePlugin(), [cgroups, { cgroupRoot: "/" }], stats, eviction],
    httpGet: async ({ url, headers }) => {
      const port = new URL(url).port;
      const asking = pods.find(({ manifest }) => JSON.stringify(manifest).includes(`"port":${port}`));
      of(asking?.manifest.metadata.name ?? "").requests.push([at(), url, headers]);
      return { statusCode: 200 };
    },
  });
  const look = async (milliseconds: number): Promise<void> => {
    for (let passed = 0; passed < milliseconds; passed += STEP) {
      await agent.advance(STEP);
      for (const { metadata, status } of agent.api.pods()) {
        const reported = of(metadata.name).status;
        const now = JSON.stringify(status ?? null);
        if (reported.at(-1) !== now) reported.push(now);
      }
    }
  };
  try {
    const uids = new Map<string, string>();
    for (const { manifest } of pods) await agent.apply(JSON.stringify(manifest));
    for (const { metadata } of agent.api.pods()) uids.set(metadata.name, metadata.uid);
    await look(60_000);
    for (const { manifest, meanwhile } of pods) {
      const { name } = manifest.metadata;
      if (meanwhile) await meanwhile(agent, manifest);
      else for (const container of runtime.running(name)) runtime.exit(name, container, 3);
    }
    await look(60_000);
    for (const { metadata } of agent.api.pods()) await agent.delete(metadata.name, metadata.namespace);
    await look(90_000);
    for (const [name, uid] of uids) of(name).cgroups.push(...host.kernel.writes.filter((write) => write.includes(uid)));
    return new Map([...traces].map(([name, trace]) => [name, normal(trace, agent.rootDir)]));
  } finally {
    await agent.stop();
  }
}

interface Config {
  readonly metadata: { readonly name: string };
  readonly annotations: Readonly<Record<string, string>>;
  readonly mounts: readonly { readonly hostPath: string }[];
}

/** Without what is counted over all pods: ids, the names of termination logs. */
function normal(trace: Record<Product, readonly unknown[]>, rootDir: string): Trace {
  const text = JSON.stringify(trace)
    .replaceAll(rootDir, "ROOT")
    .replaceAll(/simulated:\/\/[0-9a-f]+/g, "ID")
    .replaceAll(/(containers\/[^/"]+\/)[0-9a-f]{8}/g, "$1LOG");
  return JSON.parse(text) as Trace;
}

function fileAt(path: string): unknown {
  if (!existsSync(path)) return [path, "not there"];
  const stat = statSync(path);
  const text = stat.isFile() && path.includes("/pods/") ? readFileSync(path, "utf8") : "";
  return [path, stat.gid, stat.mode.toString(8), text];
}
