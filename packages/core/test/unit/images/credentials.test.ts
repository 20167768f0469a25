import { RuntimeError } from "@hooklet/cri-api";
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { pullCredentials, pullKey, pullWith } from "../../../src/images/credentials.js";
import type { PullCredentials } from "../../../src/plugin/contract.js";
import { aPod } from "../../pod/pods.js";

const [a, b] = [{ username: "a" }, { username: "b" }];

test("credentials are tried in order, the node's own at last", async () => {
  const tried: (PullCredentials | undefined)[] = [];
  const pull = async (one: PullCredentials | undefined): Promise<string> => {
    tried.push(one);
    if (one !== undefined) throw new Error(`${one.username} refused`);
    return "id";
  };
  expect(await pullWith([a, b], pull)).toBe("id");
  expect(tried).toEqual([a, b, undefined]);
});

test("when all are rejected, all errors are reported, each once", async () => {
  const pull = async (one: PullCredentials | undefined): Promise<string> => {
    throw new Error(one === a ? "denied" : "unauthorized");
  };
  await expect(pullWith([a, b], pull)).rejects.toThrow("[denied, unauthorized]");
  await expect(pullWith([], pull)).rejects.toThrow(/^unauthorized$/);
});

test("a runtime that is away is not asked again with the next", async () => {
  let count = 0;
  const away = async (): Promise<string> => {
    count += 1;
    throw new RuntimeError("unavailable", "away");
  };
  await expect(pullWith([a, b], away)).rejects.toThrow("away");
  expect(count).toBe(1);
});

test("pulls with other credentials are other pulls, and no password shows in their key", () => {
  expect(pullKey("web:1", [])).toBe("web:1");
  expect(pullKey("web:1", [], "kata")).not.toBe(pullKey("web:1", []));
  expect(pullKey("web:1", [a])).not.toBe(pullKey("web:1", [b]));
  expect(pullKey("web:1", [{ password: "geheim" }])).not.toContain("geheim");
});

test("a provider that fails, or does not answer for 30 s, does not affect other providers' credentials", async () => {
  const clock = new VirtualClock();
  const recorded: string[] = [];
  const { signal } = new AbortController();
  let given: AbortSignal | undefined;
  const providers = {
    credentials: [
      { plugin: "broken", provider: { credentials: () => Promise.reject(new Error("no vault")) } },
      {
        plugin: "silent",
        provider: {
          credentials: (_pod: unknown, _image: unknown, one: AbortSignal) => {
            given = one;
            return new Promise<never>(() => {});
          },
        },
      },
      { plugin: "good", provider: { credentials: async () => [{ username: "me", password: "it" }] } },
    ],
  };
  const asked = pullCredentials(
    { clock, providers, report: (where) => recorded.push(where) },
    aPod({}),
    "web:1",
    signal,
  );
  await clock.advance(30_000);
  expect(await asked).toEqual([{ username: "me", password: "it" }]);
  expect(recorded).toEqual([
    'credentials of plugin broken for image "web:1"',
    'credentials of plugin silent for image "web:1"',
  ]);
  expect(given?.aborted).toBe(true);
});

test("a pull that is given up is no pull without credentials", async () => {
  const given = new AbortController();
  const recorded: string[] = [];
  const credentials = [
    {
      plugin: "vault",
      provider: {
        credentials: (_pod: unknown, _image: unknown, signal: AbortSignal) =>
          new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      },
    },
  ];
  const ports = {
    clock: new VirtualClock(),
    providers: { credentials },
    report: (where: string) => void recorded.push(where),
  };
  const asked = pullCredentials(ports, aPod({}), "web:1", given.signal);
  given.abort(new Error("the pod is gone"));
  await expect(asked).rejects.toThrow("the pod is gone");
  expect(recorded).toEqual([]);
});
