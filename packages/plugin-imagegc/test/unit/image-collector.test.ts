import { describe, expect, test } from "@jest/globals";
import { MIB, MINUTE, seen, use } from "./images/images.js";
import { TestNode } from "./images/test-node.js";

test("a round removes unused images and forgets them", async () => {
  const node = new TestNode({ images: [seen("a"), seen("b")] });
  node.users = [use("b")];
  const report = await node.collector.collect();
  expect(node.gone).toEqual(["a"]);
  expect([...node.collector.records.keys()]).toEqual(["b"]);
  expect(report.kept.map(({ image, verdict }) => `${image.id} ${verdict}`)).toEqual(["b in use"]);
});

test("a plan describes the next round and removes nothing", async () => {
  const node = new TestNode({
    images: [seen("a"), seen("b"), seen("c")],
    policy: { lowThresholdPercent: 84, highThresholdPercent: 84 },
  });
  node.disk = { capacityBytes: 1000 * MIB, availableBytes: 145 * MIB };
  const planned = await node.plan();
  expect(planned).toEqual(["a", "b"]);
  expect(node.gone).toEqual([]);
  await node.collector.collect();
  expect(node.gone).toEqual(planned);
});

test("a plan with other thresholds leaves the policy of the rounds alone", async () => {
  const node = new TestNode({ images: [seen("a"), seen("b")] });
  node.disk = { capacityBytes: 1000 * MIB, availableBytes: 900 * MIB };
  expect(await node.plan({ highThresholdPercent: 9, lowThresholdPercent: 9 })).toEqual(["a"]);
  await node.collector.collect();
  expect(node.gone).toEqual([]);
});

test("a plan on a disk whose numbers cannot be read fails as the round does", async () => {
  const node = new TestNode({ images: [seen("a")] });
  node.disk = new Error("no such device");
  expect((await node.collector.plan()).failure).toEqual({ message: "no such device" });
  expect((await node.collector.collect()).failure).toEqual({ message: "no such device" });
});

test("without a minimum age an image may be removed in the round that sees it first, however long the detection takes", async () => {
  const node = new TestNode({ images: [seen("a")] });
  const { images } = node;
  node.images = () => {
    node.time += 5_000;
    return images();
  };
  await node.collector.collect();
  expect(node.gone).toEqual(["a"]);
});

describe("an image that comes into use while a round is under way", () => {
  test("stays when a container of it is about to be made", async () => {
    const node = new TestNode({ images: [seen("a"), seen("b")] });
    node.removing = (id) => {
      if (id === "a") node.collector.touch("example/b:1");
      return Promise.resolve(true);
    };
    const { outcomes } = await node.collector.collect();
    expect(outcomes.map(({ image, verdict }) => `${image.id} ${verdict}`)).toEqual(["a removed", "b used since"]);
    expect(node.gone).toEqual(["a"]);
  });

  test("stays when the node holds it, and that is no failure of the removal", async () => {
    const node = new TestNode({ images: [seen("a"), seen("b")] });
    node.removing = (id) => Promise.resolve(id !== "a");
    const { outcomes } = await node.collector.collect();
    expect(outcomes.map(({ image, verdict }) => `${image.id} ${verdict}`)).toEqual(["a used since", "b removed"]);
  });

  test("may go in a later round", async () => {
    const node = new TestNode({ images: [seen("a")] });
    node.collector.touch("example/a:1");
    await node.collector.collect();
    expect(node.gone).toEqual(["a"]);
  });
});

test("rounds, plans and reclaims go one after the other", async () => {
  const node = new TestNode({ images: [seen("a"), seen("b")] });
  let under = 0;
  let most = 0;
  node.removing = async () => {
    most = Math.max(most, ++under);
    await Promise.resolve();
    under--;
    return true;
  };
  await Promise.all([
    node.collector.collect(),
    node.collector.reclaim(),
    node.collector.plan(),
    node.collector.collect(),
  ]);
  expect(most).toBe(1);
  expect(node.gone).toEqual(["a", "b"]);
});

test("a plan during a long round is answered at once, and the round continues unchanged", async () => {
  const node = new TestNode({ images: [seen("a"), seen("b"), seen("c")] });
  let goOn: () => void = () => {};
  const slow = new Promise<boolean>((resolve) => {
    goOn = () => resolve(true);
  });
  node.removing = (id) => (id === "a" ? slow : Promise.resolve(true));
  const round = node.collector.collect();
  await new Promise(setImmediate);
  node.collector.touch("example/b:1");
  expect(await node.plan()).toEqual(["a", "b", "c"]);
  goOn();
  const { outcomes } = await round;
  expect(outcomes.map(({ image, verdict }) => `${image.id} ${verdict}`)).toEqual([
    "a removed",
    "b used since",
    "c removed",
  ]);
  expect([...node.collector.records.keys()]).toEqual(["b"]);
});

test("a round that cannot read the node rejects, and the next one works", async () => {
  const node = new TestNode({ images: [seen("a")] });
  const { uses } = node;
  node.uses = () => Promise.reject(new Error("runtime is down"));
  await expect(node.collector.collect()).rejects.toThrow("runtime is down");
  expect(node.gone).toEqual([]);
  node.uses = uses;
  await node.collector.collect();
  expect(node.gone).toEqual(["a"]);
});

test("an agent that stops ends the round before the next removal", async () => {
  const node = new TestNode({ images: [seen("a"), seen("b")] });
  node.removing = () => {
    node.stop.abort(new Error("the agent stops"));
    return Promise.resolve(true);
  };
  await expect(node.collector.collect()).rejects.toThrow("the agent stops");
  expect(node.gone).toEqual(["a"]);
});

test("a reclaim that is aborted for its duration ends before the next removal", async () => {
  const node = new TestNode({ images: [seen("a"), seen("b")] });
  const patience = new AbortController();
  node.removing = () => {
    patience.abort(new Error("no answer within 120 s"));
    return Promise.resolve(true);
  };
  await expect(node.collector.reclaim(patience.signal)).rejects.toThrow("no answer within 120 s");
  expect(node.gone).toEqual(["a"]);
});

test("a result of a strategy that is no order of the candidates is reported, and the kubelet's order is used", async () => {
  const node = new TestNode({ images: [seen("a"), seen("b")], order: () => [] });
  await node.collector.collect();
  expect(node.gone).toEqual(["a", "b"]);
  expect(node.faults).toEqual(["expected each candidate once, found 2 missing, among them a"]);
});

describe("what was there before the agent", () => {
  test("counts as new", async () => {
    const node = new TestNode({ images: [seen("old")], policy: { minAge: 2 * MINUTE } });
    await node.collector.collect();
    expect(node.gone).toEqual([]);
  });

  test("is as old as an earlier life of the agent remembers", async () => {
    const node = new TestNode({
      images: [seen("known"), seen("unknown")],
      policy: { minAge: 2 * MINUTE, maxAge: 30 * MINUTE },
    });
    const images = new Map([["known", { firstDetected: 10 * MINUTE, lastUsed: 20 * MINUTE }]]);
    node.collector.remember({ began: 5 * MINUTE, images });
    await node.collector.look();
    expect(
      [...node.collector.records.values()].map(({ id, firstDetected, lastUsed }) => [id, firstDetected, lastUsed]),
    ).toEqual([
      ["known", 10 * MINUTE, 20 * MINUTE],
      ["unknown", 60 * MINUTE, undefined],
    ]);
    expect(node.collector.began).toBe(5 * MINUTE);
    node.disk = { capacityBytes: 100, availableBytes: 100 };
    node.list = node.list.filter(({ id }) => id === "known");
    await node.collector.collect();
    expect(node.gone).toEqual(["known"]);
  });
});
