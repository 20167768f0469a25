import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { aPod, describePlugin, startTestPlugin, VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import plugin from "../src/index.js";
import { Tokens } from "../src/volumes/tokens.js";

describePlugin("objects", {
  plugin,
  options: {},
  badOptions: [{ name: "any option", options: { a: 1 }, field: "a" }],
  pods: [aPod()],
});

test("a token is asked for once, bound to its pod, renewed at 80 % of its life; while renewing fails the old one stays", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "hooklet-token-"));
  const test = await startTestPlugin({ plugin, options: {} });
  try {
    const requests: unknown[] = [];
    let broken = false;
    test.objects.extras = {
      createToken: async (account, spec) => {
        requests.push({ account, spec });
        if (broken) throw new Error("the API server is away");
        const expires = test.clock.now() + (spec.expirationSeconds ?? 0) * 1000;
        return { token: `token-${requests.length}`, expirationTimestamp: new Date(expires).toISOString() };
      },
    };
    const volume = {
      name: "v",
      projected: { sources: [{ serviceAccountToken: { path: "token", audience: "vault", expirationSeconds: 1000 } }] },
    };
    const pod = aPod({ spec: { serviceAccountName: "robot", volumes: [volume] } });
    await test.run(pod);
    const provider = test.providers.volumesOf("projected");
    await test.during(provider?.prepare(pod, volume, directory, new AbortController().signal) ?? Promise.reject());
    const token = (): string => readFileSync(path.join(directory, "token"), "utf8");
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
    await test.advance(780_000);
    expect(token()).toBe("token-1");
    await test.advance(40_000);
    expect(token()).toBe("token-2");
    broken = true;
    await test.advance(900_000);
    expect(token()).toBe("token-2");
    expect(test.events).toEqual([]);
    await test.advance(200_000);
    expect(test.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'FailedMount: MountVolume.SetUp failed for volume "v" : token default/robot expired and refresh failed: the API server is away',
    ]);
    broken = false;
    await test.advance(20_000);
    expect(token()).toMatch(/^token-\d+$/);
    expect(token()).not.toBe("token-2");
  } finally {
    await test.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});

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

test("without an API server a token is refused in words that say so", async () => {
  const test = await startTestPlugin({ plugin, options: {} });
  const volume = { name: "v", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } };
  const provider = test.providers.volumesOf("projected");
  const prepared = provider?.prepare(aPod(), volume, "/nonexistent", new AbortController().signal);
  await expect(prepared).rejects.toThrow("failed to fetch token: there is no API server that issues tokens");
  await test.stop();
});
