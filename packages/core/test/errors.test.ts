import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import * as all from "../src/errors.js";
import {
  agentNotRunning,
  agentStopping,
  ClaimConflictError,
  cannotListen,
  deletionRefused,
  errorText,
  evictionRefused,
  foundText,
  hostUnavailable,
  invalid,
  isNodeAgentError,
  killTimeout,
  NodeAgentError,
  nodeAgentErrorCodes,
  notFound,
  notRunning,
  pluginStart,
  pluginStop,
  pluginTimeout,
  providerOutput,
  severalCores,
  tapFailed,
  tapOutput,
  tapTimeout,
  tookTooLong,
  unsupported,
} from "../src/errors.js";
import { ConfigFaultsError } from "../src/faults/faults.js";

const place = { plugin: "gc", hook: "tick 300s", tap: "gc" };

/** All wordings in one place, for review. */
test("the messages", () => {
  const errors = [
    tapFailed(place, new Error("disk gone")),
    tapFailed({ ...place, tap: "sweep" }, "disk gone"),
    tapTimeout(place, 60),
    tapOutput({ ...place, hook: "podAdmit" }, "nothing or a verdict", "null"),
    new ClaimConflictError("env TEAM", "one", "two"),
    pluginStart("gc", "its start was expected to end within 10 s and is still busy."),
    pluginStop("gc", "expected within 10 s, still busy. It is left alone."),
    pluginTimeout("gc", "plan", 60),
    tookTooLong("PROVIDER_TIMEOUT", "The provider of volume data", "did not prepare it", 120),
    tookTooLong("SOURCE_TIMEOUT", "Source kube", "did not stop", 10),
    providerOutput("The provider of volume data", "an absolute path of the host", "data"),
    notFound("view", "prob", ["probes", "images"]),
    notFound("view", "x", []),
    agentNotRunning("/var/lib/hooklet/hooklet.sock", "ENOENT"),
    hostUnavailable("The file system of /var did not tell its size within 5 s"),
    severalCores(["/opt/hooklet/core/", "/srv/acme/core/"]),
    evictionRefused("default/etcd-node1", "it is critical (static, or of a system priority)"),
    deletionRefused("default/etcd-node1", "file"),
    killTimeout(),
    agentStopping(),
    notRunning("container main of pod web"),
    unsupported("runtime cri cannot import images", "Use its own tools."),
    cannotListen("127.0.0.1:80", "EACCES", "Choose another --port, or 0 for none."),
    invalid("name of a checkpoint", "lower-case letters", "../x"),
    new ConfigFaultsError([
      { file: "/etc/hooklet/.hookletrc", line: 3, column: 5, path: "port", expected: "a number", found: '"x"' },
      {
        file: "--node-name",
        path: "node.name",
        expected: "a DNS name",
        found: '"A"',
        nearest: ["a"],
      },
    ]),
  ];
  expect(errors.map(({ code, message }) => `${code}: ${message}`).join("\n")).toMatchSnapshot();
});

test("every error of errors.ts is in that list", () => {
  const shown = [
    tapFailed,
    tapTimeout,
    tapOutput,
    ClaimConflictError,
    pluginStart,
    pluginStop,
    pluginTimeout,
    tookTooLong,
    providerOutput,
    notFound,
    agentNotRunning,
    hostUnavailable,
    severalCores,
    evictionRefused,
    deletionRefused,
    killTimeout,
    agentStopping,
    notRunning,
    unsupported,
    cannotListen,
  ];
  const others = [invalid, errorText, foundText, isNodeAgentError, NodeAgentError, nodeAgentErrorCodes];
  expect(new Set(Object.values(all))).toEqual(new Set([...shown, ...others]));
});

test("the README tells of every code, and of no other", () => {
  const text = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const table = text.split("\n").filter((line) => line.startsWith("| `") && !line.includes("@hooklet"));
  const told = table.flatMap((line) =>
    [...(line.split("|")[1] ?? "").matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code),
  );
  expect(told.toSorted()).toEqual([...nodeAgentErrorCodes].sort());
});

test("errors carry plugin, hook and cause", () => {
  const cause = new Error("disk gone");
  expect(tapFailed(place, cause)).toMatchObject({ plugin: "gc", hook: "tick 300s", cause });
});

test.each([
  { name: "nothing", value: undefined, text: "nothing" },
  { name: "a long text is cut", value: "x".repeat(100), text: `"${"x".repeat(76)}...` },
  { name: "a number that JSON lacks", value: Number.NaN, text: "NaN" },
  { name: "a bigint", value: 1n, text: "1" },
  { name: "a function", value: () => {}, text: "a function" },
])("found: $name", ({ value, text }) => {
  expect(foundText(value)).toBe(text);
});

test("what refers to itself can still be shown", () => {
  const loop: { self?: unknown } = {};
  loop.self = loop;
  expect(foundText(loop)).toMatch(/not JSON/);
  expect(errorText("text")).toBe("text");
});
