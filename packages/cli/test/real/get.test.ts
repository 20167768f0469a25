import { RuntimeError } from "@hooklet/core/host";
import { describe, expect, test } from "@jest/globals";
import { FakeAgent } from "../../../server/test/fake-agent.js";
import { anEvent, aPod } from "../../../server/test/samples.js";
import { startFake } from "../../../server/test/start.js";
import { eventually, fakeIo, hooklet, type Result } from "../cli.js";

async function withPods(): Promise<{ api: FakeAgent; socket: string; run(words: readonly string[]): Promise<Result> }> {
  const api = new FakeAgent();
  const { socket } = await startFake(api);
  api.setPods([
    aPod("web", { metadata: { labels: { app: "web", tier: "front" } } }),
    aPod("db", { metadata: { labels: { app: "db" } }, status: { phase: "Failed" } }),
  ]);
  return { api, socket, run: (words) => hooklet(words, fakeIo({ HOOKLET_SOCKET: socket })) };
}

describe("which pods", () => {
  test.each([
    ["labels", ["-l", "app=web"], "pod/web\n"],
    ["labels in a list", ["-l", "app in (db,cache)"], "pod/db\n"],
    ["a field", ["--field-selector", "status.phase!=Running"], "pod/db\n"],
    ["labels and fields", ["-l", "app", "--field-selector", "metadata.name=web"], "pod/web\n"],
  ])("by %s", async (_, words, out) => {
    const { run } = await withPods();
    expect(await run(["get", "pods", "-o", "name", ...words])).toEqual({ code: 0, out, err: "" });
  });

  test("of several names the known are shown, and the unknown named", async () => {
    const { run } = await withPods();
    const { code, out, err } = await run(["get", "pods", "web", "nope", "db", "--no-headers"]);
    expect(code).toBe(1);
    expect(out).toMatch(/^web .*\ndb .*\n$/);
    expect(err).toContain("error: ");
    expect(err).toContain("nope");
  });

  test("an unknown field is refused with those there are", async () => {
    const { run } = await withPods();
    const { code, err } = await run(["get", "pods", "--field-selector", "spec.color=red"]);
    expect(code).toBe(1);
    expect(err).toContain("status.phase");
    expect(err).toContain("spec.color=red");
  });

  test("names and a selector together are refused", async () => {
    const { run } = await withPods();
    expect(await run(["get", "pods", "web", "-l", "app=web"])).toMatchObject({ code: 1 });
  });
});

describe("how they are shown", () => {
  test("with their labels, without headings", async () => {
    const { run } = await withPods();
    expect((await run(["get", "pods", "--show-labels"])).out).toMatch(/AGE +LABELS\nweb .* app=web,tier=front\n/);
    expect((await run(["get", "pods", "--no-headers"])).out).not.toContain("NAME");
  });

  test("by a template, to the letter", async () => {
    const { run } = await withPods();
    const template = '{range .items[*]}{.metadata.name}={.status.phase}{"\\n"}{end}';
    expect(await run(["get", "pods", "-o", `jsonpath=${template}`])).toEqual({
      code: 0,
      out: "web=Running\ndb=Failed\n",
      err: "",
    });
    expect((await run(["get", "pod", "web", "-o", "jsonpath={.status.podIP}"])).out).toBe("10.0.0.1");
  });

  test("in custom columns", async () => {
    const { run } = await withPods();
    const spec = "NAME:.metadata.name,TIER:.metadata.labels.tier,IMAGES:spec.containers[*].image";
    expect((await run(["get", "pods", "-o", `custom-columns=${spec}`])).out).toBe(
      "NAME   TIER     IMAGES\nweb    front    host\ndb     <none>   host\n",
    );
  });

  test("a format that there is not is refused with those there are", async () => {
    const { run } = await withPods();
    expect((await run(["get", "pods", "-o", "xml"])).err).toContain("wide, name, json, yaml, jsonpath, custom-columns");
    expect((await run(["get", "pods", "-o", "jsonpath"])).err).toContain("jsonpath={.metadata.name}");
  });

  test("the node is a v1 Node", async () => {
    const { run } = await withPods();
    const node = JSON.parse((await run(["get", "node", "-o", "json"])).out);
    expect(node).toMatchObject({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "node1", labels: { "kubernetes.io/hostname": "node1" } },
      status: {
        capacity: { cpu: "4", memory: "8Gi", pods: "110" },
        allocatable: { cpu: "3900m" },
        addresses: [
          { type: "InternalIP", address: "10.0.0.1" },
          { type: "Hostname", address: "node1" },
        ],
        conditions: [{ type: "Ready", status: "True" }],
        nodeInfo: { kubeletVersion: "hooklet-1.2.3", kernelVersion: "6.1.0" },
      },
    });
    expect((await run(["get", "nodes", "-o", "name"])).out).toBe("node/node1\n");
  });

  test("plugins say how well they are, and whether they are off", async () => {
    const { api, run } = await withPods();
    expect((await run(["get", "plugins"])).out).toMatch(/sample +running +ok /);
    await run(["plugin", "off", "sample"]);
    api.pluginHealth = { ok: false, message: "disk is full" };
    expect((await run(["get", "plugins"])).out).toMatch(/sample +off +failing: disk is full /);
  });
});

describe("a watch", () => {
  test("shows what is there, then a line for each change that is meant", async () => {
    const { api, socket } = await withPods();
    const io = fakeIo({ HOOKLET_SOCKET: socket });
    void hooklet(["get", "pods", "-w", "-l", "app=web"], io);
    await eventually(() => expect(io.stdout.text).toMatch(/^NAME.*\nweb .*Running.*\n$/));
    await eventually(() => expect(api.listeners).toBe(1));
    const [web, db] = api.list;
    api.setPods([{ ...web, status: { ...web?.status, phase: "Pending", reason: "Held" } } as never, db as never]);
    await eventually(() => expect(io.stdout.text.split("\n")).toHaveLength(4));
    expect(io.stdout.text).not.toContain("db");
    api.setPods([aPod("other")]);
    await eventually(() => expect(io.stdout.text.split("\n")).toHaveLength(5));
  });

  test("of a kind that cannot be watched is refused before it begins", async () => {
    const { run } = await withPods();
    expect(await run(["get", "plugins", "-w"])).toMatchObject({ code: 1, err: expect.stringContaining("no --watch") });
  });

  test("of events shows those of a type", async () => {
    const { api, socket } = await withPods();
    api.emit(anEvent("web", "Started"));
    const io = fakeIo({ HOOKLET_SOCKET: socket });
    void hooklet(["events", "-w", "--types", "Warning"], io);
    await eventually(() => expect(api.listeners).toBe(1));
    api.emit(anEvent("web", "BackOff", { type: "Warning" }));
    api.emit(anEvent("web", "Pulled"));
    api.emit(anEvent("db", "Unhealthy", { type: "Warning" }));
    await eventually(() => expect(io.stdout.text).toContain("Unhealthy"));
    expect(io.stdout.text.split("\n").map((line) => line.split(/ {2,}/)[2])).toEqual([
      "REASON",
      "BackOff",
      "Unhealthy",
      undefined,
    ]);
  });
});

test("events are chosen by type, object and field", async () => {
  const { api, run } = await withPods();
  api.emit(anEvent("web", "Started"));
  api.emit(anEvent("web", "BackOff", { type: "Warning" }));
  api.emit(anEvent("db", "BackOff", { type: "Warning" }));
  const reasons = async (...words: string[]): Promise<string> =>
    (
      await run(["events", "-o", "custom-columns=R:.reason,O:.involvedObject.name", "--no-headers", ...words])
    ).out.replace(/ +/g, " ");
  expect(await reasons("--types", "Warning")).toBe("BackOff web\nBackOff db\n");
  expect(await reasons("--for", "pod/web", "--types=Warning,Normal")).toBe("Started web\nBackOff web\n");
  expect(await reasons("--field-selector", "involvedObject.name=db")).toBe("BackOff db\n");
  expect((await run(["events", "--types", "Loud"])).err).toContain("Normal, Warning");
});

describe("the node while its runtime is down", () => {
  test.each([
    ["its table", ["get", "node"], "NAME "],
    ["its name", ["get", "node", "-o", "name"], "node/node1"],
    ["the object", ["get", "node", "-o", "yaml"], "kind: Node"],
    ["the plugins", ["get", "plugins"], "NAME"],
  ])("%s is shown all the same", async (_, words, shown) => {
    const { api, run } = await withPods();
    const down = (): never => {
      throw new RuntimeError("unavailable", "the runtime is down");
    };
    Object.assign(api, { images: async () => down(), views: down });
    const { code, out, err } = await run(words);
    expect({ code, found: `${out}${err}`.includes(shown) }).toEqual({ code: 0, found: true });
  });
});
