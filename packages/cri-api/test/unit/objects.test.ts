import { describe, expect, test } from "@jest/globals";
import { isRuntimeError, RuntimeError } from "../../src/errors.js";
import { type Container, Labels, type Sandbox } from "../../src/objects.js";
import { byPodUid } from "../../src/pod-objects.js";

const labels = (uid?: string) => (uid === undefined ? {} : { [Labels.podUid]: uid });
const sandbox = (id: string, uid?: string) => ({ id, labels: labels(uid) }) as unknown as Sandbox;
const container = (id: string, uid?: string) =>
  ({ id, labels: labels(uid), metadata: { name: "main", attempt: 0 } }) as unknown as Container;

describe("what a runtime has, by pod", () => {
  test("is in the order of its lists, without objects of other programs", () => {
    const found = byPodUid(
      [sandbox("s1", "a"), sandbox("s2", "b"), sandbox("s3", "a"), sandbox("foreign")],
      [container("c1", "a"), container("c2", "a"), container("foreign")],
    );
    const ids = [...found].map(([uid, { sandboxes, containers }]) => [
      uid,
      sandboxes.map(({ id }) => id),
      containers.map(({ id }) => id),
    ]);
    expect(ids).toEqual([
      ["a", ["s1", "s3"], ["c1", "c2"]],
      ["b", ["s2"], []],
    ]);
  });

  test("has also containers whose sandbox is gone", () => {
    expect(byPodUid([], [container("c1", "a")]).get("a")).toEqual({
      sandboxes: [],
      containers: [container("c1", "a")],
    });
  });
});

describe("an error of a runtime", () => {
  const foreign = (code: unknown) => Object.assign(new Error("x"), { code });

  test("keeps its code, message and cause", () => {
    const cause = new Error("socket closed");
    const error = new RuntimeError("unavailable", "the runtime does not answer", { cause });
    expect(error).toMatchObject({
      name: "RuntimeError",
      code: "unavailable",
      message: "the runtime does not answer",
      cause,
    });
  });

  test.each<[string, unknown, boolean]>([
    ["is known by its code", new RuntimeError("not-found", "x"), true],
    ["may be of another copy of core", foreign("deadline-exceeded"), true],
    ["is not one of the system's", foreign("ENOENT"), false],
    ["is not one without a code", new Error("not-found"), false],
    ["is not an object that looks like it", { code: "not-found" }, false],
  ])("%s", (_, error, expected) => expect(isRuntimeError(error)).toBe(expected));

  test("can be asked for one code", () => {
    const error = new RuntimeError("not-found", "x");
    expect([isRuntimeError(error, "not-found"), isRuntimeError(error, "unknown")]).toEqual([true, false]);
  });
});
