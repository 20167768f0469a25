/** The plugins of examples/plugins, loaded through their rc file and run on the real hooks. */
import { fileURLToPath } from "node:url";
import { loadConfig, type Modules, nodeModules } from "@hooklet/config";
import type { Pod } from "@hooklet/manifest";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { processRuntime } from "../../../../config/test/fixture.js";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { createGuardedHooks, type GuardedHooks } from "../../../src/hooks/guard.js";
import { AdmissionVerdict } from "../../../src/hooks/verdict.js";
import { ContainerPlanBuilder } from "../../../src/plan/builder.js";
import { worldOf } from "../../../src/plugin/bind-seam.js";
import type { HostPorts } from "../../../src/plugin/context.js";
import type { Decision } from "../../../src/plugin/contract.js";
import { MetricRegistries } from "../../../src/plugin/metrics.js";
import { PluginHost } from "../../../src/plugin/plugin-host.js";

const examples = fileURLToPath(new URL("../../../../../examples/plugins/", import.meta.url));

/** Node's own modules, but for what a build would have to make first. */
const modules: Modules = {
  resolve: (specifier, from) => {
    if (specifier === "@hooklet/runtime-process") return "/runtime";
    if (specifier === "./team-env/dist/index.js") return `${examples}team-env/src/index.ts`;
    return nodeModules.resolve(specifier, from);
  },
  load: async (file) => {
    if (file === "/runtime") return { default: processRuntime };
    return file.endsWith(".ts")
      ? import("../../../../../examples/plugins/team-env/src/index.js")
      : nodeModules.load(file);
  },
};

const signal = new AbortController().signal;
const pod = (image: string, labels: Record<string, string> = {}): Pod => ({
  metadata: { name: "web", namespace: "default", uid: "u", labels },
  spec: { initContainers: [{ name: "init", image: "host" }], containers: [{ name: "main", image }] },
});

let guard: GuardedHooks;
let host: PluginHost;
let metrics: MetricRegistries;
let decisions: unknown[];

beforeEach(async () => {
  const clock = new VirtualClock();
  decisions = [];
  metrics = new MetricRegistries(clock, (_, error) => {
    throw error;
  });
  const onError = (error: Error): never => {
    throw error;
  };
  guard = createGuardedHooks({ clock, onError });
  host = new PluginHost({
    clock,
    guard,
    metrics,
    runtime: {} as HostPorts["runtime"],
    pods: () => ({}) as ReturnType<HostPorts["pods"]>,
    node: () => ({}) as ReturnType<HostPorts["node"]>,
    objects: {} as HostPorts["objects"],
    host: {} as HostPorts["host"],
    world: worldOf([]),
    addSource: () => {},
    provide: () => ({}) as ReturnType<HostPorts["provide"]>,
    events: { pod() {}, node() {} },
    decisions: (plugin) => ({ record: (decision) => decisions.push({ plugin, ...decision }) }),
    log: pino({ enabled: false }),
    checkpoint: () => ({ read: async () => undefined, write: async () => {} }) as never,
    onTimerError: (_, error) => onError(error as Error),
    onError,
    reservedViews: [],
  });
  const config = await loadConfig({
    hooklet: import.meta.url,
    plugins: [],
    flags: { config: `${examples}hookletrc.yaml` },
    modules,
    uid: 1000,
    hostname: "n",
  });
  await host.start(config.plugins);
});

afterEach(() => host.stop());

describe("image-allow-list.mjs", () => {
  const admit = (image: string) =>
    guard.hooks.podAdmit.promise(AdmissionVerdict.admitted(), {
      pod: pod(image),
      otherPods: [],
      running: [],
      isTakenOver: false,
      signal,
    });

  test.each(["host", "registry.example.com/web:1", "registry.example.com/team/web@sha256:0"])(
    "%s is admitted",
    async (image) => {
      expect((await admit(image)).admitted).toBe(true);
      expect(decisions).toEqual([]);
    },
  );

  test.each(["docker.io/library/nginx", "hostile", "registry-example.com/web", ""])("%p is refused", async (image) => {
    expect((await admit(image)).rejections).toEqual([
      {
        reason: "ImageNotAllowed",
        message:
          "these containers use an image that is not on the node's list: " +
          `main: ${image}; allowed: host, registry.example.com/*`,
        plugin: "image-allow-list",
      },
    ]);
  });

  test("a refusal is a decision about each container, and a dry run has the same", async () => {
    await admit("evil:1");
    const expected = {
      plugin: "image-allow-list",
      strategy: "allow-list",
      subject: "pod/default/web",
      considered: [
        { candidate: "init: host", verdict: "allowed", why: "matches the list" },
        { candidate: "main: evil:1", verdict: "refused", why: "matches none of host, registry.example.com/*" },
      ],
      outcome: "refused",
    };
    expect(decisions).toEqual([expected]);
    const planned: readonly Decision[] = await host.plan("image-allow-list", { pod: pod("evil:1"), arguments: {} });
    expect(planned).toMatchObject([expected]);
  });
});

describe("team-env", () => {
  const start = async (labels: Record<string, string>) => {
    const builder = new ContainerPlanBuilder({ envs: [{ key: "TEAM", value: "pretender" }] });
    const container = { name: "main", image: "host" };
    const event = { pod: pod("host", labels), container, kind: "main", restartCount: 0, signal } as const;
    await guard.hooks.containerStart.promise(builder, event);
    return builder.result();
  };

  test("the pod's team is in the container's environment and annotations, with any manifest", async () => {
    const plan = await start({ "example.com/team": "blue" });
    expect(plan.envs).toEqual([{ key: "TEAM", value: "blue" }]);
    expect(plan.annotations).toEqual({ "example.com/team": "blue" });
    const container = { podUid: "u", container: "main", containerId: "c", restartCount: 0, startedAt: 0 };
    for (const { run } of plan.afterStart) await run(container);
    expect((await metrics.render("/metrics"))?.body).toContain('team_env_containers_total{team="blue"} 1');
  });

  test("a pod without a team is left alone", async () => {
    expect(await start({})).toMatchObject({
      envs: [{ key: "TEAM", value: "pretender" }],
      annotations: {},
      afterStart: [],
    });
  });
});
