import { describe, expect, test } from "@jest/globals";
import { errorText } from "../../src/error-text.js";
import { isRecord } from "../../src/is-record.js";
import {
  allContainers,
  ephemeralContainers,
  hasEnded,
  initContainers,
  isSidecar,
  mainContainers,
  namespacedName,
  type Pod,
  podText,
  restartPolicy,
  runnableContainers,
} from "../../src/pod.js";

const named = (name: string, more: object = {}) => ({ name, image: "host", ...more });
const pod = (spec: object = {}): Pod => ({
  metadata: { name: "web", namespace: "team", uid: "u1" },
  spec: { containers: [named("main")], ...spec },
});
const names = (containers: readonly { readonly name: string }[]) => containers.map(({ name }) => name);

describe("the containers of a pod", () => {
  const full = pod({ initContainers: [named("first")], ephemeralContainers: [named("debug")] });

  test("are init, main and ephemeral ones, in this order", () => {
    expect(names(initContainers(full))).toEqual(["first"]);
    expect(names(mainContainers(full))).toEqual(["main"]);
    expect(names(ephemeralContainers(full))).toEqual(["debug"]);
    expect(names(allContainers(full))).toEqual(["first", "main"]);
    expect(names(runnableContainers(full))).toEqual(["first", "main", "debug"]);
  });

  test("may be main ones alone", () => {
    expect([initContainers(pod()), ephemeralContainers(pod())]).toEqual([[], []]);
    expect(names(runnableContainers(pod()))).toEqual(["main"]);
  });

  test("that restart always among the init containers are sidecars", () => {
    expect(
      [named("a", { restartPolicy: "Always" }), named("b"), named("c", { restartPolicy: "Never" })].map(isSidecar),
    ).toEqual([true, false, false]);
  });
});

test.each([
  { phase: "Succeeded", ended: true },
  { phase: "Failed", ended: true },
  { phase: "Running", ended: false },
  { phase: "Pending", ended: false },
  { phase: undefined, ended: false },
])("a pod of phase $phase has ended: $ended", ({ phase, ended }) => {
  expect(hasEnded({ status: phase === undefined ? {} : { phase } })).toBe(ended);
  expect(hasEnded({})).toBe(false);
});

test("a pod restarts always by default", () => {
  expect([pod(), pod({ restartPolicy: "Never" })].map(restartPolicy)).toEqual(["Always", "Never"]);
});

test("a pod has the kubelet's name, and the short one", () => {
  expect(podText(pod())).toBe("web_team(u1)");
  expect(namespacedName(pod().metadata)).toBe("team/web");
});

test.each<[string, unknown, boolean]>([
  ["an object", {}, true],
  ["a list", [], false],
  ["null", null, false],
  ["nothing", undefined, false],
  ["a text", "a", false],
  ["a number", 1, false],
  ["a function", () => {}, false],
])("%s has keys: %s", (_, value, is) => expect(isRecord(value)).toBe(is));

test.each<[string, unknown, string]>([
  ["an error", new Error("disk gone"), "disk gone"],
  ["a text", "disk gone", "disk gone"],
  ["nothing", undefined, "undefined"],
  ["an object", { a: 1 }, "[object Object]"],
  ["an error whose message is none", Object.assign(new Error("x"), { message: 5 }), "5"],
  ["what looks like an error and is none", { message: "x", toString: () => "y" }, "y"],
  ["what inherits from an error", Object.create(new Error("x")), "x"],
  [
    "what has no text",
    {
      toString: () => {
        throw new Error("no");
      },
    },
    "something that has no text",
  ],
  [
    "what throws whatever it is asked",
    new Proxy(
      {},
      {
        get() {
          throw new Error("no");
        },
      },
    ),
    "something that has no text",
  ],
  ["a text without end", "x".repeat(100_000), `${"x".repeat(65_536)}... (34464 characters more)`],
  ["an object without any method", Object.create(null), "something that has no text"],
])("the text of %s that was thrown", (_, thrown, text) => expect(errorText(thrown)).toBe(text));
