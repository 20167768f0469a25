import { type NodeAgentError, sleep } from "@hooklet/utils";
import { describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { z } from "zod";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { createGuardedHooks } from "../../../src/hooks/guard.js";
import { worldOf } from "../../../src/plugin/bind-seam.js";
import type { HostPorts } from "../../../src/plugin/context.js";
import type { NodeContext, NodeView, PluginInstance } from "../../../src/plugin/contract.js";
import type { LoadedPlugin } from "../../../src/plugin/loaded.js";
import { MetricRegistries } from "../../../src/plugin/metrics.js";
import { hostDeadlines, PluginHost } from "../../../src/plugin/plugin-host.js";
import { ProviderRegistry } from "../../../src/plugin/providers.js";

const nothing: NodeView = { pods: [], sandboxes: [], containers: [] };
const unused = () => {
  throw new Error("not used here");
};

function setUp() {
  const clock = new VirtualClock();
  const errors: NodeAgentError[] = [];
  const log: string[] = [];
  const guard = createGuardedHooks({ clock, onError: (error) => errors.push(error) });
  const ports: HostPorts = {
    clock,
    guard,
    runtime: { name: "none" } as HostPorts["runtime"],
    addSource: () => undefined,
    provide: (plugin) => new ProviderRegistry().forPlugin(plugin),
    pods: () => ({ list: unused }) as unknown as ReturnType<HostPorts["pods"]>,
    node: () => ({ name: "n" }) as ReturnType<HostPorts["node"]>,
    objects: {} as HostPorts["objects"],
    host: {} as HostPorts["host"],
    world: worldOf([]),
    events: { pod: unused, node: unused },
    decisions: () => ({ record: unused }),
    metrics: new MetricRegistries(clock, (_, error) => void errors.push(error as NodeAgentError)),
    log: pino({ enabled: false }),
    checkpoint: (plugin, name) => ({
      read: async () => `${plugin}/${name}`,
      write: async () => {},
      keep: unused,
    }),
    onTimerError: (plugin, error) => void log.push(`timer of ${plugin}: ${error}`),
    onError: (error) => errors.push(error),
    reservedViews: ["pods"],
  };
  return { clock, errors, log, guard, ports, host: new PluginHost(ports) };
}

type Start = (ctx: NodeContext) => unknown;

function loaded(name: string, start: Start): LoadedPlugin {
  return {
    plugin: {
      meta: { name, api: 1, description: `the ${name}` },
      options: z.object({}),
      start: start as LoadedPlugin["plugin"]["start"],
    },
    options: {},
    written: {},
    specifier: name,
    origin: "plugins[0]",
    file: `/plugins/${name}`,
  };
}

const noting = (name: string, log: string[], more: PluginInstance = {}): LoadedPlugin =>
  loaded(name, () => {
    log.push(`start ${name}`);
    return { stop: () => void log.push(`stop ${name}`), ...more };
  });

/** What JavaScript lets a plugin write. */
type Misspelt = Readonly<Record<string, { tap(run: () => void): void }>>;

const never = () => new Promise<never>(() => {});

describe("start and stop", () => {
  test("plugins are started in order and stopped in reverse, once", async () => {
    const { host, log } = setUp();
    await host.start([noting("a", log), noting("b", log), noting("c", log)]);
    await Promise.all([host.stop(), host.stop()]);
    expect(log).toEqual(["start a", "start b", "start c", "stop c", "stop b", "stop a"]);
    expect(host.reports().map(({ state }) => state)).toEqual(["stopped", "stopped", "stopped"]);
  });

  test("a start that throws stops what was started, and the error names the plugin", async () => {
    const { host, log } = setUp();
    const bad = loaded("bad", () => {
      throw new Error("no disk");
    });
    await expect(host.start([noting("a", log), bad, noting("c", log)])).rejects.toMatchObject({
      code: "PLUGIN_START",
      plugin: "bad",
      message: expect.stringMatching(/^Plugin "bad" could not be started: no disk \(.*\)/),
      cause: new Error("no disk"),
    });
    expect(log).toEqual(["start a", "stop a"]);
    expect(host.reports().map(({ name, state }) => [name, state])).toEqual([
      ["a", "stopped"],
      ["bad", "failed"],
    ]);
  });

  test("a start that hangs is given up after 10 s; what it returns later is stopped all the same", async () => {
    const { clock, host, log } = setUp();
    const slow = loaded("slow", async () => {
      await sleep(clock, 60_000);
      return { stop: () => void log.push("stop slow") };
    });
    const done = host.start([noting("a", log), slow]).catch((error: unknown) => error);
    await clock.advance(10_000);
    expect(await done).toMatchObject({
      code: "PLUGIN_START",
      plugin: "slow",
      message: expect.stringContaining(
        'Plugin "slow" could not be started: its start was expected to end within 10 s and is still busy.',
      ),
    });
    expect(log).toEqual(["start a", "stop a"]);
    await clock.advance(50_000);
    expect(log).toEqual(["start a", "stop a", "stop slow"]);
    expect(clock.pending).toBe(0);
  });

  test.each([
    { name: "throws", stop: () => Promise.reject(new Error("busy")), says: "busy" },
    { name: "hangs", stop: never, says: "expected within 10 s, still busy. It is left alone." },
  ])("a stop that $name is reported, and the others are stopped", async ({ stop, says }) => {
    const { clock, host, log, errors } = setUp();
    await host.start([noting("a", log), loaded("bad", () => ({ stop })), noting("c", log)]);
    const done = host.stop();
    await clock.advance(10_000);
    await done;
    expect(log).toEqual(["start a", "start c", "stop c", "stop a"]);
    expect(errors).toMatchObject([{ code: "PLUGIN_STOP", plugin: "bad" }]);
    expect(errors.map(({ message }) => message.split(says).length)).toEqual([2]);
  });

  test("the context's signal is aborted before the first stop, and the taps are off after it", async () => {
    const { host, guard } = setUp();
    let aborted: boolean | undefined;
    let ticks = 0;
    await host.start([
      loaded("a", (ctx) => {
        ctx.hooks.tick(1).tap(() => void ticks++);
        return {
          stop: () => {
            aborted = ctx.signal.aborted;
          },
        };
      }),
    ]);
    await host.stop();
    await guard.hooks.tick.for(1).promise({ now: 0, signal: new AbortController().signal });
    expect([aborted, ticks]).toEqual([true, 0]);
  });

  test("a plugin cannot tap once its start is over", async () => {
    const { host } = setUp();
    let hooks: NodeContext["hooks"] | undefined;
    await host.start([
      loaded("a", (ctx) => {
        hooks = ctx.hooks;
      }),
    ]);
    expect(() => hooks?.podAdmit.tap(() => {})).toThrow(/after its start/);
  });

  test.each<{ name: string; make: (hooks: Misspelt) => void; found: string }>([
    { name: "a misspelt hook", make: (hooks) => hooks.podAdmitt?.tap(() => {}), found: '"podAdmitt"' },
    { name: "a tick without its seconds", make: (hooks) => hooks.tick?.tap(() => {}), found: '"tick.tap"' },
  ])("$name is an error that names it, with the known names", async ({ make, found }) => {
    const bad = loaded("bad", ({ hooks }) => make(hooks as unknown as Misspelt));
    const message = expect.stringMatching(new RegExp(`hook of ctx.hooks: expected .*tick.*, found ${found}`));
    await expect(setUp().host.start([bad])).rejects.toMatchObject({ code: "PLUGIN_START", plugin: "bad", message });
  });

  test.each<{ call: string; make: (ctx: NodeContext) => void }>([
    { call: "pods.onUpdate", make: ({ pods }) => pods.onUpdate(() => false) },
    { call: "node.provideStatistics", make: ({ node }) => node.provideStatistics({} as never) },
    { call: "node.offerReclaim", make: ({ node }) => node.offerReclaim({} as never) },
    { call: "metrics.gauge", make: ({ metrics }) => void metrics.gauge({} as never) },
    { call: "metrics.counter", make: ({ metrics }) => void metrics.counter({} as never) },
    { call: "metrics.histogram", make: ({ metrics }) => void metrics.histogram({} as never) },
    { call: "metrics.collect", make: ({ metrics }) => metrics.collect([], unused) },
    { call: "addSource", make: ({ addSource }) => addSource({} as never) },
    { call: "provide.values", make: ({ provide }) => provide.values({ kinds: [], get: unused }) },
    { call: "provide.volumes", make: ({ provide }) => provide.volumes({ kinds: [], prepare: unused }) },
    { call: "provide.credentials", make: ({ provide }) => provide.credentials({ credentials: unused }) },
    { call: "provide.readinessGates", make: ({ provide }) => provide.readinessGates([]) },
    { call: "provide.objects", make: ({ provide }) => provide.objects({ read: unused, watch: unused }) },
    {
      call: "provide.servingCertificate",
      make: ({ provide }) => provide.servingCertificate({ current: () => undefined, watch: unused }),
    },
    { call: "provide.reviews", make: ({ provide }) => provide.reviews({ reviewToken: unused, reviewAccess: unused }) },
  ])("$call is for the start only, and changes nothing later", async ({ call, make }) => {
    const { host, ports } = setUp();
    const calls: string[] = [];
    const note = (name: string) => () => void calls.push(name);
    let context: NodeContext | undefined;
    Object.assign(ports, {
      pods: () => ({ onUpdate: note("pods.onUpdate") }),
      node: () => ({ provideStatistics: note("node.provideStatistics"), offerReclaim: note("node.offerReclaim") }),
      metrics: {
        forOwner: () =>
          Object.fromEntries(
            ["gauge", "counter", "histogram", "collect"].map((name) => [name, note(`metrics.${name}`)]),
          ),
      },
      addSource: note("addSource"),
      provide: () =>
        Object.fromEntries(
          ["values", "volumes", "credentials", "readinessGates", "objects", "reviews", "servingCertificate"].map(
            (name) => [name, note(`provide.${name}`)],
          ),
        ),
    });
    const starting = loaded("p", (ctx) => {
      context = ctx;
      make(ctx);
    });
    await host.start([starting]);
    expect(calls).toEqual([call]);
    const late = `Plugin "p" called ${call} after its start. Call it in start() only.`;
    expect(() => make(context as NodeContext)).toThrow(expect.objectContaining({ code: "PLUGIN_START", plugin: "p" }));
    expect(() => make(context as NodeContext)).toThrow(late);
    expect(calls).toEqual([call]);
  });

  test.each([
    {
      name: "a number",
      returned: 5,
      says: /its start returned what cannot be used: expected an instance or nothing, found 5/,
    },
    { name: "null", returned: null, says: /an instance or nothing, found null/ },
    { name: "views that are a text", returned: { views: "x" }, says: /views as an object, found "x"/ },
    {
      name: "a view that is null",
      returned: { views: { x: null } },
      says: /view x with columns and a function rows\(\), found null/,
    },
    { name: "a view without columns", returned: { views: { x: { rows: () => [] } } }, says: /view x with columns/ },
    { name: "a view name of 64 letters", returned: { views: { ["a".repeat(64)]: {} } }, says: /view names/ },
    { name: "a view name that begins with a digit", returned: { views: { "1a": {} } }, says: /view names/ },
    ...["open", "plan", "explain", "health"].map((method) => ({
      name: `no function ${method}`,
      returned: { [method]: 5 },
      says: new RegExp(`expected ${method} to be a function, found 5`),
    })),
    { name: "a stop that is no function", returned: { stop: true }, says: /stop to be a function/ },
    { name: "a view without rows", returned: { views: { x: { columns: [] } } }, says: /view x with columns/ },
    { name: "a view name of two words", returned: { views: { "a b": {} } }, says: /view names/ },
  ])("a start that returns $name is refused", async ({ returned, says }) => {
    await expect(setUp().host.start([loaded("p", () => returned)])).rejects.toThrow(says);
  });
});

describe("the context", () => {
  test("checkpoints and metrics carry the plugin's name", async () => {
    const { host, ports } = setUp();
    let read: unknown;
    await host.start([
      loaded("a", async (ctx) => {
        read = await ctx.checkpoint("state").read();
        ctx.metrics.counter({ name: "a_total", help: "A." }).inc();
      }),
    ]);
    expect(read).toBe("a/state");
    expect(() => ports.metrics.forOwner("b").counter({ name: "a_total", help: "A." })).toThrow(/made by "a"/);
  });

  test.each(["../etc/passwd", "", "A", "a/b", "x".repeat(64)])("a checkpoint named %p is refused", async (name) => {
    await expect(setUp().host.start([loaded("a", (ctx) => ctx.checkpoint(name))])).rejects.toThrow(
      /name of a checkpoint/,
    );
  });
});

test("an error of a plugin's timer is reported with the plugin's name, and reaches no timer of the agent", async () => {
  const { host, clock, log } = setUp();
  let ran = false;
  const bad = loaded("bad", (ctx) => {
    ctx.clock.schedule(10, () => {
      throw new Error("boom");
    });
    ctx.clock.schedule(20, () => {
      ran = true;
    });
    ctx.clock
      .schedule(30, () => {
        throw new Error("cancelled");
      })
      .cancel();
  });
  await host.start([bad]);
  await clock.advance(100);
  expect([ran, log]).toEqual([true, ["timer of bad: Error: boom"]]);
});

describe("opening", () => {
  test("each plugin gets the list of running pods, after all have started", async () => {
    const { host } = setUp();
    const seen: unknown[] = [];
    const open = (observed: NodeView) => void seen.push(observed);
    await host.start([loaded("a", () => ({ open })), loaded("b", () => ({ open })), loaded("c", () => {})]);
    expect(seen).toEqual([]);
    await host.open(nothing);
    expect(seen).toEqual([nothing, nothing]);
  });

  test.each([
    { name: "fails", open: () => Promise.reject(new Error("broken")), says: /broken/ },
    { name: "hangs", open: never, says: /its open was expected to end within 30 s and is still busy/ },
  ])("an opening that $name stops everything and names the plugin", async ({ open, says }) => {
    const { clock, host, log } = setUp();
    await host.start([noting("a", log), loaded("bad", () => ({ open }))]);
    const done = host.open(nothing).catch((error: unknown) => error);
    await clock.advance(60_000);
    expect(await done).toMatchObject({ code: "PLUGIN_START", plugin: "bad", message: expect.stringMatching(says) });
    expect(log).toEqual(["start a", "stop a"]);
  });
});

describe("views, plans and health", () => {
  const view = (rows: () => unknown) => ({ description: "d", columns: [{ name: "A" }], rows }) as never;

  test("a view is read by name; an unknown one lists the nearest", async () => {
    const { host } = setUp();
    await host.start([loaded("a", () => ({ views: { probes: view(() => [{ A: 1 }]) } }))]);
    expect(host.views()).toEqual([{ name: "probes", plugin: "a", description: "d" }]);
    expect(await host.view("probes")).toEqual({ columns: [{ name: "A" }], rows: [{ A: 1 }] });
    await expect(host.view("probe")).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining('"probes"?'),
    });
  });

  test("views are listed by name; one without a description has an empty one", async () => {
    const { host } = setUp();
    const bare = { columns: [], rows: () => [] };
    await host.start([
      loaded("b", () => ({ views: { zones: bare } })),
      loaded("a", () => ({ views: { cpus: bare, images: bare } })),
    ]);
    expect(host.views()).toEqual([
      { name: "cpus", plugin: "a", description: "" },
      { name: "images", plugin: "a", description: "" },
      { name: "zones", plugin: "b", description: "" },
    ]);
    expect(host.reports().map(({ views }) => views)).toEqual([["zones"], ["cpus", "images"]]);
  });

  test.each([
    { name: "another plugin has", view: "probes", by: "made by a" },
    { name: "hooklet itself has", view: "pods", by: "made by hooklet itself" },
  ])("a view name that $name is refused", async ({ view: name, by }) => {
    const { host } = setUp();
    const first = loaded("a", () => ({ views: { probes: view(() => []) } }));
    await expect(host.start([first, loaded("b", () => ({ views: { [name]: view(() => []) } }))])).rejects.toThrow(by);
  });

  test("a view that hangs or returns rubbish is an error", async () => {
    const { clock, host } = setUp();
    await host.start([loaded("a", () => ({ views: { hangs: view(never), odd: view(() => [1]) } }))]);
    await expect(host.view("odd")).rejects.toThrow(/a list of rows/);
    const done = host.view("hangs").catch((error: unknown) => error);
    await clock.advance(10_000);
    expect(await done).toMatchObject({
      code: "PLUGIN_TIMEOUT",
      plugin: "a",
      message: expect.stringContaining("did not finish its view: expected within 10 s"),
    });
  });

  test("a plan that hangs is a plugin that took too long, not one that could not be started", async () => {
    const { clock, host } = setUp();
    await host.start([loaded("a", () => ({ plan: never }))]);
    const done = host.plan("a", { arguments: {} }).catch((error: unknown) => error);
    await clock.advance(60_000);
    expect(await done).toMatchObject({
      code: "PLUGIN_TIMEOUT",
      plugin: "a",
      message: expect.stringContaining("did not finish its plan: expected within 60 s"),
    });
    expect(host.reports()).toMatchObject([{ name: "a", state: "running" }]);
  });

  test("a plan is asked for by the plugin's name or its short name", async () => {
    const { host } = setUp();
    const plan = async () => [
      { at: 1, plugin: "x", strategy: "s", subject: "image/a", considered: [], outcome: "kept" },
    ];
    await host.start([loaded("@hooklet/plugin-gc", () => ({ plan })), loaded("other", () => {})]);
    expect(await host.plan("gc", { arguments: {} })).toHaveLength(1);
    expect(await host.plan("@hooklet/plugin-gc", { arguments: {} })).toHaveLength(1);
    await expect(host.plan("other", { arguments: {} })).rejects.toThrow(
      /No plugin that can plan "other"; known are gc/,
    );
  });

  test("all plugins with an answer explain; one that fails or hangs does not block the others", async () => {
    const { host, clock } = setUp();
    const said = { at: 1, plugin: "x", strategy: "s", subject: "image/a", considered: [], outcome: "stays" };
    await host.start([
      loaded("silent", () => {}),
      loaded("throws", () => ({ explain: unused })),
      loaded("hangs", () => ({ explain: () => new Promise(() => {}) })),
      loaded("knows", () => ({
        explain: async (kind: string, name: string) => [{ ...said, subject: `${kind}/${name}` }],
      })),
    ]);
    const answer = host.explain("image", "a");
    await clock.advance(hostDeadlines.explain * 1000);
    expect(await answer).toEqual([said]);
  });

  test("a plugin whose health check fails is not healthy", async () => {
    const { host } = setUp();
    await host.start([
      loaded("silent", () => {}),
      loaded("well", () => ({ health: () => ({ ok: true, message: "fine" }) })),
      loaded("throws", () => ({ health: unused })),
      loaded("odd", () => ({ health: () => "fine" })),
      loaded("null", () => ({ health: () => null })),
      loaded("empty", () => ({ health: () => ({}) })),
      loaded("silent once", () => ({ health: () => undefined })),
      loaded("wordless", () => ({ health: () => ({ ok: false, message: 5 }) })),
      loaded("text", () => ({ health: () => ({ ok: "yes" }) })),
    ]);
    expect(host.health()).toEqual([
      { name: "silent", ok: true },
      { name: "well", ok: true, message: "fine" },
      { name: "throws", ok: false, message: "health() failed: not used here" },
      { name: "odd", ok: false, message: 'health() returned "fine" instead of {ok, message}' },
      { name: "null", ok: false, message: "health() returned null instead of {ok, message}" },
      { name: "empty", ok: false, message: "health() returned {} instead of {ok, message}" },
      { name: "silent once", ok: false, message: "health() returned nothing instead of {ok, message}" },
      { name: "wordless", ok: false },
      { name: "text", ok: false, message: 'health() returned {"ok":"yes"} instead of {ok, message}' },
    ]);
  });

  test("a plugin is switched off by name, and its report has that", async () => {
    const { host } = setUp();
    await host.start([loaded("@hooklet/plugin-gc", (ctx) => ctx.hooks.tick(5).tap(() => {}))]);
    host.switchPlugin("gc", false);
    expect(host.reports()).toMatchObject([
      { name: "@hooklet/plugin-gc", description: "the @hooklet/plugin-gc", taps: [{ hook: "tick 5s", active: false }] },
    ]);
    expect(host.reports()).toMatchObject([{ state: "off", origin: "plugins[0]", health: { ok: true }, views: [] }]);
    host.switchPlugin("@hooklet/plugin-gc", true);
    expect(host.reports()).toMatchObject([{ state: "running", taps: [{ active: true }] }]);
    expect(() => host.switchPlugin("cg", true)).toThrow(/No plugin "cg"/);
    host.switchPlugin("gc", false);
    await host.stop();
    expect(host.reports()).toMatchObject([{ state: "stopped" }]);
  });
});
