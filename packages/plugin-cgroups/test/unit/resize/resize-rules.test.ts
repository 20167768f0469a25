import type { Pod } from "@hooklet/core";
import { aContainer, aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { resizeOf, resizeOrder } from "../../../src/resize/resize-rules.js";

function web(cpu: string, memory = "64Mi", more: object = {}): Pod {
  const amounts = { cpu, memory };
  return aPod({
    name: "web",
    containers: [aContainer({ resources: { requests: amounts, limits: amounts }, ...more })],
  });
}

describe("what is a resize", () => {
  test.each([
    { name: "more cpu", before: web("500m"), after: web("1"), resized: ["main"] },
    { name: "less memory", before: web("500m"), after: web("500m", "32Mi"), resized: ["main"] },
    { name: "nothing new", before: web("500m"), after: web("500m"), resized: undefined },
    { name: "another image", before: web("500m"), after: web("1", "64Mi", { image: "other:1" }), resized: undefined },
  ])("$name", ({ before, after, resized }) => {
    expect(resizeOf(before, after)?.map((one) => one.after.name)).toEqual(resized);
  });

  test.each(["cpu", "memory"] as const)(
    "not what takes the limit of %s away: the pod's cgroup would keep it",
    (resource) => {
      const amounts = { cpu: "500m", memory: "64Mi" };
      const burstable = (limits: Record<string, string>) =>
        aPod({ name: "web", containers: [aContainer({ resources: { requests: { cpu: "100m" }, limits } })] });
      const { [resource]: _, ...rest } = amounts;
      expect(resizeOf(burstable(amounts), burstable(rest))).toBeUndefined();
      expect(resizeOf(burstable(rest), burstable(amounts))).toHaveLength(1);
    },
  );

  test("not what takes the limit of one container of several away", () => {
    const two = (second: object): Pod =>
      aPod({
        name: "web",
        containers: [
          aContainer({ name: "a", resources: { requests: { cpu: "1" }, limits: { cpu: "2" } } }),
          aContainer({ name: "b", resources: { requests: { cpu: "1" }, ...second } }),
        ],
      });
    expect(resizeOf(two({ limits: { cpu: "2" } }), two({}))).toBeUndefined();
    expect(resizeOf(two({ limits: { cpu: "2" } }), two({ limits: { cpu: "3" } }))).toHaveLength(1);
  });

  test("not what would make a Burstable pod Guaranteed", () => {
    const limited = (cpu: string) => {
      const resources = { requests: { cpu: "1", memory: "64Mi" }, limits: { cpu, memory: "64Mi" } };
      return aPod({ name: "web", containers: [aContainer({ resources })] });
    };
    expect(resizeOf(limited("2"), limited("1"))).toBeUndefined();
    expect(resizeOf(limited("2"), limited("3"))).toHaveLength(1);
  });

  test("not what would change the QoS class", () => {
    const burstable = aPod({ name: "web", containers: [aContainer({ resources: { requests: { cpu: "1" } } })] });
    expect(resizeOf(web("1"), burstable)).toBeUndefined();
  });
});

test("of waiting resizes those that shrink come first, then by priority, QoS class, and waiting time", () => {
  const waiting = (name: string, before: string, after: string, more: object = {}, since = 0) => {
    const of = (cpu: string): Pod => {
      const pod = web(cpu);
      return { ...pod, metadata: { ...pod.metadata, name }, spec: { ...pod.spec, ...more } };
    };
    return { before: of(before), after: of(after), since };
  };
  const burstable = (name: string, since: number) => {
    const pod = (cpu: string) => aPod({ name, containers: [aContainer({ resources: { requests: { cpu } } })] });
    return { before: pod("1"), after: pod("2"), since };
  };
  const ordered = resizeOrder([
    burstable("burstable", 1),
    waiting("late", "1", "2", {}, 7),
    waiting("early", "1", "2", {}, 5),
    waiting("important", "1", "2", { priority: 100 }, 9),
    waiting("shrinks", "2", "1", {}, 10),
  ]);
  expect(ordered.map(({ after }) => after.metadata.name)).toEqual([
    "shrinks",
    "important",
    "early",
    "late",
    "burstable",
  ]);
});

describe("the resize of each container", () => {
  const policy = [
    { resourceName: "cpu", restartPolicy: "NotRequired" },
    { resourceName: "memory", restartPolicy: "RestartContainer" },
  ];

  test.each([
    { name: "more cpu alone needs no restart", after: web("1", "64Mi", { resizePolicy: policy }), restart: false },
    {
      name: "other memory does where its policy says so",
      after: web("500m", "32Mi", { resizePolicy: policy }),
      restart: true,
    },
    { name: "both do", after: web("1", "32Mi", { resizePolicy: policy }), restart: true },
  ])("$name", ({ after, restart }) => {
    expect(resizeOf(web("500m", "64Mi", { resizePolicy: policy }), after)).toMatchObject([{ restart }]);
  });

  test("without a policy nothing is restarted", () => {
    expect(resizeOf(web("500m"), web("1", "32Mi"))).toMatchObject([{ restart: false }]);
  });

  const of = (amounts: Record<string, object>, init: Record<string, object> = {}): Pod => {
    const containers = (all: Record<string, object>) =>
      Object.entries(all).map(([name, resources]) => aContainer({ name, resources }));
    const initContainers = containers(init);
    return aPod({
      name: "web",
      containers: containers(amounts),
      ...(initContainers.length > 0 && { spec: { initContainers } }),
    });
  };
  const small = { requests: { cpu: "1" } };
  const large = { requests: { cpu: "2" } };

  test("only those that changed are named, init containers too", () => {
    const names = (before: Pod, after: Pod) => resizeOf(before, after)?.map((one) => one.after.name);
    expect(names(of({ a: small, b: small }), of({ a: small, b: large }))).toEqual(["b"]);
    expect(names(of({ a: small }, { init: small }), of({ a: small }, { init: large }))).toEqual(["init"]);
  });

  test("a request alone and a limit alone are changes", () => {
    const limits = (cpu: string) => of({ a: { requests: { cpu: "1" }, limits: { cpu } } });
    expect(resizeOf(limits("2"), limits("3"))).toHaveLength(1);
    expect(resizeOf(of({ a: small }), of({ a: large }))).toHaveLength(1);
  });

  test("the order of keys is no change", () => {
    const before = of({ a: { requests: { cpu: "1", memory: "1Mi" } } });
    const after = of({ a: { requests: { memory: "1Mi", cpu: "2" } } });
    expect(resizeOf(before, after)).toHaveLength(1);
    const requests = (...names: readonly string[]) =>
      of({ a: { requests: Object.fromEntries(names.map((name) => [name, name === "cpu" ? "1" : "2"])) } });
    const more = of({ a: { requests: { cpu: "2", "c.d/x": "2", "b.d/x": "2", "a.d/x": "2" } } });
    expect(resizeOf(requests("cpu", "a.d/x", "b.d/x", "c.d/x"), more)).toHaveLength(1);
    expect(resizeOf(requests("b.d/x", "c.d/x", "a.d/x", "cpu"), more)).toHaveLength(1);
    expect(resizeOf(requests("b.d/x", "a.d/x"), requests("a.d/x", "b.d/x"))).toBeUndefined();
  });

  test.each([
    { name: "another container more", after: of({ a: large, b: small }) },
    { name: "an init container more", after: of({ a: large }, { init: small }) },
    {
      name: "another amount of what cannot be resized",
      after: of({ a: { requests: { cpu: "2", "ephemeral-storage": "1Gi" } } }),
    },
    {
      name: "another limit of what cannot be resized",
      after: of({ a: { ...large, limits: { "hugepages-2Mi": "4Mi" } } }),
    },
    { name: "a claim more", after: of({ a: { ...large, claims: [{ name: "gpu" }] } }) },
  ])("$name is no resize", ({ after }) => {
    expect(resizeOf(of({ a: small }), after)).toBeUndefined();
  });
});

describe("of two resizes that wait", () => {
  const pods = (before: object, after: object, spec: object = {}, since = 0) => {
    const pod = (resources: object): Pod => aPod({ containers: [aContainer({ resources })], spec });
    return { before: pod(before), after: pod(after), since };
  };
  const cpu = (amount: string) => ({ requests: { cpu: amount, memory: "64Mi" } });
  const memory = (amount: string) => ({ requests: { cpu: "1", memory: amount } });

  test.each([
    {
      name: "the one that asks for less memory",
      first: pods(memory("2Mi"), memory("1Mi"), {}, 9),
      next: pods(memory("1Mi"), memory("2Mi")),
    },
    {
      name: "the one that asks for more limit alone",
      first: pods({ ...cpu("1"), limits: { cpu: "2" } }, { ...cpu("1"), limits: { cpu: "3" } }, {}, 9),
      next: pods(cpu("1"), cpu("2")),
    },
  ])("$name comes first", ({ first, next }) => {
    expect(resizeOrder([next, first])).toEqual([first, next]);
    expect(resizeOrder([first, next])).toEqual([first, next]);
  });
});
