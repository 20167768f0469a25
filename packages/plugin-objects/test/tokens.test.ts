import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { aPod, describePlugin, startTestPlugin } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import plugin from "../src/index.js";

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

test("without an API server a token is refused in words that say so", async () => {
  const test = await startTestPlugin({ plugin, options: {} });
  const volume = { name: "v", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } };
  const provider = test.providers.volumesOf("projected");
  const prepared = provider?.prepare(aPod(), volume, "/nonexistent", new AbortController().signal);
  await expect(prepared).rejects.toThrow("failed to fetch token: there is no API server that issues tokens");
  await test.stop();
});
