import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { definePlugin } from "@hooklet/core";
import { aPod, describePlugin, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import plugin from "../../../src/index.js";
import { Tokens } from "../../../src/volumes/tokens.js";

describePlugin("objects", {
  plugin,
  options: {},
  badOptions: [{ name: "any option", options: { a: 1 }, field: "a" }],
  pods: [aPod()],
});

const volume = {
  name: "v",
  projected: { sources: [{ serviceAccountToken: { path: "token", audience: "vault", expirationSeconds: 1000 } }] },
};

test("a token is asked for once, bound to its pod, renewed at 80 % of its life; while renewing fails the old one stays", async () => {
  const requests: unknown[] = [];
  let broken = false;
  const pod = aPod({ spec: { serviceAccountName: "robot", volumes: [volume] } });
  const cluster = definePlugin({
    meta: { name: "cluster", api: 1 },
    start(ctx) {
      ctx.addSource({ name: "cluster", start: async (sink) => sink.desired([pod]), stop: async () => {} });
      ctx.provide.objects({
        read: async () => undefined,
        watch: () => () => undefined,
        createToken: async (account, spec) => {
          requests.push({ account, spec });
          if (broken) throw new Error("the API server is away");
          const expires = ctx.clock.now() + (spec.expirationSeconds ?? 0) * 1000;
          return { token: `token-${requests.length}`, expirationTimestamp: new Date(expires).toISOString() };
        },
      });
    },
  });
  const agent = await startTestAgent({ plugins: [plugin, cluster] });
  const token = (): string => {
    // The token's volume is in memory.
    const memory = path.join(agent.rootDir, "memory");
    const [file = ""] = readdirSync(memory, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith("/v/token"),
    );
    return readFileSync(path.join(memory, file), "utf8");
  };
  expect(token()).toBe("token-1");
  expect(requests).toEqual([
    {
      account: { namespace: "default", name: "robot" },
      spec: {
        audiences: ["vault"],
        expirationSeconds: 1000,
        boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "web", uid: pod.metadata.uid },
      },
    },
  ]);
  await agent.advance(780_000);
  expect(token()).toBe("token-1");
  await agent.advance(40_000);
  expect(token()).toBe("token-2");
  broken = true;
  await agent.advance(900_000);
  expect(token()).toBe("token-2");
  expect(failures(agent)).toEqual([]);
  await agent.advance(200_000);
  expect(failures(agent)).toEqual([
    'FailedMount: MountVolume.SetUp failed for volume "v" : token default/robot expired and refresh failed: the API server is away',
  ]);
  broken = false;
  await agent.advance(20_000);
  expect(token()).toMatch(/^token-\d+$/);
  expect(token()).not.toBe("token-2");
});

test("without an API server a token is refused with that reason", async () => {
  const agent = await startTestAgent({ plugins: [plugin], pods: [aPod({ spec: { volumes: [volume] } })] });
  expect(failures(agent)).toEqual([
    'FailedMount: MountVolume.SetUp failed for volume "v" : failed to fetch token: there is no API server that issues tokens',
  ]);
});

function failures(agent: TestAgent): readonly string[] {
  return agent
    .events()
    .filter(({ type }) => type === "Warning")
    .map(({ reason, message }) => `${reason}: ${message}`);
}

const HOUR = 3_600_000;

test.each<{ name: string; ahead: number }>([
  { name: "an hour ahead", ahead: HOUR },
  { name: "an hour behind", ahead: -HOUR },
])("with a clock $name of the server's a token is renewed at 80 % of its life all the same", async ({ ahead }) => {
  const { tokens, clock, source, asked } = issuing();
  source.skew = -ahead;
  const get = () =>
    tokens.get(source, aPod(), { audiences: [], expirationSeconds: 1000 }, new AbortController().signal);
  expect([await get(), await get()]).toEqual(["token-1", "token-1"]);
  await clock.advance(780_000);
  expect(await get()).toBe("token-1");
  await clock.advance(40_000);
  expect([await get(), asked()]).toEqual(["token-2", 2]);
});

test.each<{ name: string; jump: number; passed: number }>([
  { name: "set back by an hour", jump: -HOUR, passed: 820_000 },
  { name: "an hour on after the machine has slept", jump: HOUR, passed: 0 },
])("a clock that is $name keeps no token beyond its life", async ({ jump, passed }) => {
  const { tokens, clock, source, wall } = issuing();
  const get = () =>
    tokens.get(source, aPod(), { audiences: [], expirationSeconds: 1000 }, new AbortController().signal);
  expect(await get()).toBe("token-1");
  wall.ahead = jump;
  await clock.advance(passed);
  expect(await get()).toBe("token-2");
});

test("a token that lasts less than was asked for is renewed by what it lasts", async () => {
  const { tokens, clock, source } = issuing();
  source.longest = 100;
  const get = () =>
    tokens.get(source, aPod(), { audiences: [], expirationSeconds: 1000 }, new AbortController().signal);
  expect(await get()).toBe("token-1");
  await clock.advance(60_000);
  expect(await get()).toBe("token-1");
  await clock.advance(25_000);
  expect(await get()).toBe("token-2");
});

/** A server whose clock is another one than the node's. */
function issuing() {
  const clock = new VirtualClock();
  const wall = { ahead: 0 };
  let requests = 0;
  const source = {
    /** Milliseconds that the server's clock is ahead. */
    skew: 0,
    longest: Number.POSITIVE_INFINITY,
    read: async () => undefined,
    watch: () => () => undefined,
    createToken: async (_: unknown, { expirationSeconds: asked = 3600 }: { expirationSeconds?: number }) => {
      requests += 1;
      const expirationSeconds = Math.min(asked, source.longest);
      const expires = clock.now() + source.skew + expirationSeconds * 1_000;
      const expirationTimestamp = new Date(expires).toISOString();
      return { token: `token-${requests}`, expirationTimestamp, expirationSeconds };
    },
  };
  const tokens = new Tokens({
    clock: { now: () => clock.now() + wall.ahead, monotonic: () => clock.monotonic() },
    random: () => 0,
    failed: (_, error) => {
      throw error;
    },
  });
  return { tokens, clock, source, wall, asked: () => requests };
}
