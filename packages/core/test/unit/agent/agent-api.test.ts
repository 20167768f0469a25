import type { Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { type ApiParts, AUDIT_REASON, createApi } from "../../../src/agent/agent-api.js";
import type { Change } from "../../../src/agent/api.js";
import type { Decision } from "../../../src/plugin/contract.js";
import { TestNode } from "../../agent/node.js";
import { aPod } from "../../pod/pods.js";

test("a change of the node is an event; sessions in a pod are one that counts up; a refusal that its client hears is no warning", async () => {
  const here = await new TestNode().start();
  const change = { outcome: "done", ok: true, by: "uid 0", isSession: false };
  const reported: readonly Change[] = [
    { ...change, what: "delete pod default/web" },
    { ...change, what: "exec in pod default/web: tar", isSession: true, by: "uid 0, pid 7 (hooklet)" },
    { ...change, what: "exec in pod default/web: tar", isSession: true, by: "uid 0, pid 8 (hooklet)" },
    {
      ...change,
      what: "exec in pod default/web: no",
      isSession: true,
      ok: false,
      outcome: "failed: no program",
      by: "uid 0, pid 9",
    },
    {
      ...change,
      what: "apply",
      ok: false,
      outcome: "refused: Pod web is invalid:\n  no image.",
      by: "uid 0, pid 10 (hooklet)",
    },
    { what: "reload", ok: false, isSession: false, outcome: "the agent did not start." },
    { what: "exec", ok: true, isSession: true, outcome: "done" },
  ];
  for (const one of reported) here.agent.api.audit(one);
  const events = here.agent.api.events().filter(({ reason }) => reason === AUDIT_REASON);
  expect(events.map(({ type, message, count }) => `${type} ${message} x${count}`)).toEqual([
    "Normal delete pod default/web: done; by uid 0 x1",
    "Normal exec in pod default/web: tar: done; by uid 0 x2",
    "Normal exec in pod default/web: no: failed: no program; by uid 0 x1",
    "Normal apply: refused: Pod web is invalid: no image; by uid 0, pid 10 (hooklet) x1",
    "Warning reload: the agent did not start. x1",
    "Normal exec: done x1",
  ]);
});

describe("what clients ask", () => {
  const decisions = [
    "pod/default/web",
    "container/default/web/main",
    "pod/default/db",
    "image/docker.io/library/web:1",
    "pod/shop/web-node1",
  ].map((subject) => ({ subject }) as Decision);
  const running = (...names: readonly string[]) =>
    names.map((name) => aPod({}, { name, uid: `${name}-uid` })) as readonly Pod[];

  function api(parts: object = {}, living: readonly Pod[] = []) {
    const asked: unknown[] = [];
    const whole = {
      manager: { list: () => living, worker: () => undefined, isEnding: false },
      host: {
        plan: async (...words: readonly unknown[]) => asked.push(words),
        explain: async (...words: readonly string[]) => [words.join(" ")],
      },
      runtime: {
        name: "own",
        imageStatus: async (name: string) => (name === "web:1" ? { id: "1" } : undefined),
        listImages: async () => [{ repoTags: ["web:1"] }, { repoTags: ["db:1", "db:2"] }],
        removeImage: async (name: string) => void asked.push(`remove ${name}`),
      },
      decisions: { list: (matches: (one: Decision) => boolean) => decisions.filter(matches) },
      control: {
        objects: { list: () => [{ kind: "Secret" }, { kind: "ConfigMap", name: "a" }] },
        apply: async (...words: readonly string[]) => words.join(" "),
      },
      node: { name: "node1", ip: "10.0.0.1" },
      ids: { uid: () => "new-uid" },
      provided: new Set(),
      now: () => 0,
      monotonic: () => 0,
      ...parts,
    };
    return { api: createApi(whole as unknown as ApiParts), asked };
  }
  const subjects = (found: readonly Decision[]) => found.map(({ subject }) => subject);

  test("pods come by namespace and name", () => {
    const all = [...running("web", "app"), aPod({}, { name: "zoo", namespace: "a", uid: "z" })];
    expect(
      api({}, all)
        .api.pods()
        .map(({ metadata }) => metadata.name),
    ).toEqual(["zoo", "app", "web"]);
  });

  test.each([
    { name: "web", living: ["web", "web-node1"], expected: ["pod/default/web", "container/default/web/main"] },
    { name: "default/db", living: ["db"], expected: ["pod/default/db"] },
    // A pod that has gone is known by its decisions.
    { name: "web", living: [], expected: ["pod/default/web", "container/default/web/main"] },
    { name: "shop/web", living: [], expected: ["pod/shop/web-node1"] },
    { name: "other", living: ["other"], expected: [] },
  ])("explain pod $name, with $living: the decisions about it and its containers", ({ name, living, expected }) => {
    expect(subjects(api({}, running(...living)).api.explain("pod", name))).toEqual(expected);
  });

  test("explain of what is no pod goes by its kind and name", () => {
    expect(subjects(api().api.explain("image", "web:1"))).toEqual(["image/docker.io/library/web:1"]);
    expect(api().api.explain("device", "web:1")).toEqual([]);
  });

  test("explain of this moment asks the plugins: for a pod by its whole name", async () => {
    const { api: own } = api({}, running("web"));
    expect(await own.explainNow("pod", "web")).toEqual(["pod default/web"]);
    expect(await own.explainNow("device", "gpu0")).toEqual(["device gpu0"]);
    expect(await own.explainNow("pod", "gone")).toEqual([]);
  });

  test("a plan is for no pod, or for one of a manifest, defaulted and frozen", async () => {
    const { api: own, asked } = api();
    await own.plan("cgroups", { arguments: { a: "1" } });
    const manifest = JSON.stringify({
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name: "web" },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    await own.plan("cgroups", { arguments: {}, manifest });
    expect(asked).toEqual([
      ["cgroups", { arguments: { a: "1" } }],
      [
        "cgroups",
        { arguments: {}, pod: expect.objectContaining({ metadata: expect.objectContaining({ uid: "new-uid" }) }) },
      ],
    ]);
    const [, [, input]] = asked as [unknown, [string, { pod: Pod }]];
    expect([Object.isFrozen(input.pod), Object.isFrozen(input.pod.spec)]).toEqual([true, true]);
    await expect(
      own.plan("cgroups", { arguments: {}, manifest: `${manifest}\n---\n${manifest.replace("web", "db")}` }),
    ).rejects.toMatchObject({
      code: "INVALID",
      message: '-f: expected one pod to plan for, found "2 pods".',
    });
  });

  test("an image that is not there cannot be removed: the error names one that is near", async () => {
    const { api: own, asked } = api();
    await own.removeImage("web:1");
    expect(asked).toEqual(["remove web:1"]);
    await expect(own.removeImage("db:3")).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringMatching(/^No image "db:3".*db:1/) as unknown,
    });
  });

  test("what this agent cannot do, and what to do instead", async () => {
    const { api: own } = api();
    await expect(own.importImage("web:2", "/x")).rejects.toMatchObject({
      code: "UNSUPPORTED",
      message: "runtime own cannot import images. Use its own tools.",
    });
    await expect(own.reload()).rejects.toMatchObject({
      code: "UNSUPPORTED",
      message: "this agent cannot reload its configuration. Restart it.",
    });
  });

  test("a manifest is applied, but not while the agent stops its pods", async () => {
    expect(await api().api.apply("text", "-f")).toBe("text -f");
    const manager = { list: () => [], isEnding: true };
    await expect(api({ manager }).api.apply("text", "-f")).rejects.toMatchObject({ code: "AGENT_STOPPING" });
  });

  test("objects are those of their kind", () => {
    expect(api().api.objects("ConfigMap")).toEqual([{ kind: "ConfigMap", name: "a" }]);
  });

  test("metrics are brought up to date before they are shown", () => {
    const order: string[] = [];
    const { api: own } = api({
      refreshMetrics: () => order.push("refresh"),
      registries: { render: (where: string) => order.push(`render ${where}`) },
    });
    own.metrics("/metrics");
    expect(order).toEqual(["refresh", "render /metrics"]);
  });

  test("statistics are there once a plugin provides them, whole or without disks", async () => {
    const statistics = { node: { nodeName: "n", startTime: "t", fs: {}, cpu: { a: 1 } }, pods: [] };
    const nodePorts = (found: unknown) => ({ nodePorts: { statistics: { read: async () => found } } });
    const { api: own } = api(nodePorts(statistics));
    expect(await own.statistics()).toEqual(statistics);
    expect((await own.statistics({ onlyCpuAndMemory: true }))?.node).toEqual({
      nodeName: "n",
      startTime: "t",
      cpu: { a: 1 },
    });
    expect(await api(nodePorts(undefined)).api.statistics({ onlyCpuAndMemory: true })).toBeUndefined();
  });
});
