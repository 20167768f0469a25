import { expect, test } from "@jest/globals";
import { pullKey, pullWith } from "../../src/images/credentials.js";
import type { PullCredentials } from "../../src/plugin/contract.js";
import { RuntimeError } from "../../src/runtime/errors.js";

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

test("when none is taken, all that was said is told, each thing once", async () => {
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
