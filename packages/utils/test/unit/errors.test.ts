import { readFileSync } from "node:fs";
import { ConfigFaultsError } from "@hooklet/config";
import { describe, expect, test } from "@jest/globals";
import * as all from "../../src/errors.js";
import {
  afterStart,
  agentNotRunning,
  agentStopping,
  applyRefused,
  boundedText,
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
} from "../../src/errors.js";

const place = { plugin: "gc", hook: "tick 300s", tap: "gc" };

/** All wordings in one place, for review. */
const MESSAGES = [
  reported(
    tapFailed,
    [place, Object.assign(new Error("disk gone"), { stack: "" })],
    'TAP_FAILED: Plugin "gc" in hook tick 300s failed: disk gone',
  ),
  reported(
    tapFailed,
    [{ ...place, tap: "sweep" }, "disk gone"],
    'TAP_FAILED: Plugin "gc" (tap "sweep") in hook tick 300s failed: disk gone',
  ),
  reported(
    tapTimeout,
    [place, 60],
    'TAP_TIMEOUT: Plugin "gc" in hook tick 300s did not settle: expected within 60 s, still busy. ' +
      "Heed the signal of the tap's last argument (event.signal), or ask for a longer deadlineSeconds at the tap.",
  ),
  reported(
    tapOutput,
    [{ ...place, hook: "podAdmit" }, "nothing or a verdict", "null"],
    'TAP_OUTPUT: Plugin "gc" in hook podAdmit returned what this hook cannot use: expected nothing or a verdict, found null.',
  ),
  toldNew(
    ClaimConflictError,
    ["env TEAM", "one", "two"],
    "CLAIM_CONFLICT: Two owners claim env TEAM of one container: one has set it, two sets it again. " +
      "Switch one of them off, or change what it sets.",
  ),
  toldNew(
    ClaimConflictError,
    ["sysctl kernel.msgmax", "one", "two", "sandbox"],
    "CLAIM_CONFLICT: Two owners claim sysctl kernel.msgmax of one sandbox: one has set it, two sets it again. " +
      "Switch one of them off, or change what it sets.",
  ),
  reported(
    pluginStart,
    ["gc", "its start was expected to end within 10 s and is still busy."],
    'PLUGIN_START: Plugin "gc" could not be started: its start was expected to end within 10 s and is still busy.',
  ),
  reported(
    afterStart,
    ["gc", "metrics.gauge"],
    'PLUGIN_START: Plugin "gc" called metrics.gauge after its start. Call it in start() only.',
  ),
  reported(
    pluginStop,
    ["gc", "expected within 10 s, still busy. It is left alone."],
    'PLUGIN_STOP: Plugin "gc" did not stop cleanly: expected within 10 s, still busy. It is left alone.',
  ),
  reported(
    pluginTimeout,
    ["gc", "plan", 60],
    'PLUGIN_TIMEOUT: Plugin "gc" did not finish its plan: expected within 60 s, still busy. It runs on; ask again later.',
  ),
  reported(
    tookTooLong,
    ["PROVIDER_TIMEOUT", "The provider of volume data", "did not prepare it", 120],
    "PROVIDER_TIMEOUT: The provider of volume data did not prepare it: expected within 120 s, still busy.",
  ),
  reported(
    tookTooLong,
    ["SOURCE_TIMEOUT", "Source kube", "did not stop", 10],
    "SOURCE_TIMEOUT: Source kube did not stop: expected within 10 s, still busy.",
  ),
  reported(
    tookTooLong,
    ["SOURCE_TIMEOUT", "Source url", "got no answer from http://host/pods", 10, "it is asked again"],
    "SOURCE_TIMEOUT: Source url got no answer from http://host/pods: expected within 10 s, it is asked again.",
  ),
  reported(
    providerOutput,
    ["The provider of volume data", "an absolute path of the host", "data"],
    'PROVIDER_OUTPUT: The provider of volume data answered with what cannot be used: expected an absolute path of the host, found "data".',
  ),
  reported(notFound, ["view", "prob", ["probes", "images"]], 'NOT_FOUND: No view "prob". Did you mean "probes"?'),
  reported(notFound, ["view", "x", []], 'NOT_FOUND: No view "x"; there is none.'),
  reported(
    notFound,
    ["container", "mian", ["main"], "in pod web"],
    'NOT_FOUND: No container "mian" in pod web. Did you mean "main"?',
  ),
  reported(
    agentNotRunning,
    ["/var/lib/hooklet/hooklet.sock", "ENOENT"],
    "AGENT_NOT_RUNNING: No agent answers on /var/lib/hooklet/hooklet.sock (ENOENT): " +
      'start one with "hooklet run", or name its root dir with --root-dir, or its socket with --socket or HOOKLET_SOCKET.',
  ),
  reported(
    hostUnavailable,
    ["The file system of /var did not report its size within 5 s"],
    "HOST_UNAVAILABLE: The file system of /var did not report its size within 5 s.",
  ),
  reported(
    severalCores,
    [["/opt/hooklet/core/", "/srv/acme/core/"]],
    "SEVERAL_CORES: @hooklet/core is loaded 2 times: expected one copy in the process, found /opt/hooklet/core/ and /srv/acme/core/. " +
      "Let plugins have it as a peer dependency, and install them beside hooklet (npm ls @hooklet/core tells who brings which).",
  ),
  reported(
    evictionRefused,
    ["default/etcd-node1", "it is critical (static, or of a system priority)"],
    "EVICTION_REFUSED: Pod default/etcd-node1 is not evicted: it is critical (static, or of a system priority). Choose another pod.",
  ),
  reported(
    deletionRefused,
    ["default/etcd-node1", "file"],
    'DELETION_REFUSED: pod default/etcd-node1 comes from source "file" and cannot be deleted here: remove its manifest there.',
  ),
  reported(
    deletionRefused,
    ["default/etcd-node1", "file", "/manifests/etcd.yaml"],
    "DELETION_REFUSED: pod default/etcd-node1 comes from /manifests/etcd.yaml and cannot be deleted here: remove it there. To restart it: hooklet restart pod.",
  ),
  reported(killTimeout, [], "KILL_TIMEOUT: timeout waiting to kill pod"),
  reported(agentStopping, [], "AGENT_STOPPING: the agent stops"),
  reported(
    applyRefused,
    [],
    "AGENT_STOPPING: The agent stops its pods and ends: apply the manifest once it runs again.",
  ),
  reported(
    notRunning,
    ["container main of pod web"],
    'NOT_RUNNING: container main of pod web is not running. "hooklet get pods" shows what does.',
  ),
  reported(
    unsupported,
    ["runtime cri cannot import images", "Use its own tools."],
    "UNSUPPORTED: runtime cri cannot import images. Use its own tools.",
  ),
  reported(
    cannotListen,
    ["127.0.0.1:80", "EACCES", "Choose another --port, or 0 for none."],
    "CANNOT_LISTEN: Cannot listen on 127.0.0.1:80: EACCES. Choose another --port, or 0 for none.",
  ),
  reported(
    invalid,
    ["name of a checkpoint", "lower-case letters", "../x"],
    'INVALID: name of a checkpoint: expected lower-case letters, found "../x".',
  ),
  toldNew(
    ConfigFaultsError,
    [
      [
        { file: "/etc/hooklet/.hookletrc", line: 3, column: 5, path: "port", expected: "a number", found: '"x"' },
        { file: "--node-name", path: "node.name", expected: "a DNS name", found: '"A"', nearest: ["a"] },
      ],
    ],
    "CONFIG_FAULTS: The configuration has 2 faults:\n" +
      '  /etc/hooklet/.hookletrc:3:5 port: expected a number, found "x".\n' +
      '  --node-name node.name: expected a DNS name, found "A". Did you mean "a"?',
  ),
];

/** A row: who makes the error, with what, and the code and message of it. */
function reported<Args extends unknown[]>(make: (...args: Args) => NodeAgentError, args: Args, text: string): Message {
  return { make, made: () => make(...args), text };
}

function toldNew<Args extends unknown[]>(
  make: new (...args: Args) => NodeAgentError,
  args: Args,
  text: string,
): Message {
  return { make, made: () => new make(...args), text };
}

interface Message {
  readonly make: unknown;
  readonly made: () => NodeAgentError;
  readonly text: string;
}

describe("the messages", () => {
  test.each(MESSAGES)("$text", ({ made, text }) => {
    const { code, message } = made();
    expect(`${code}: ${message}`).toBe(text);
  });

  test("of many known names the first ten are listed, in order; none where one is meant", () => {
    const names = Array.from({ length: 60 }, (_, i) => `pod-${i + 100}`).reverse();
    expect(notFound("pod", "web", names).message).toMatch(/; known are pod-100, pod-101, .*, pod-111 and 48 more\.$/);
    expect(notFound("pod", "pod-10", names).message).toMatch(/^No pod "pod-10"\. Did you mean/);
  });
});

test("every error of errors.ts is in that list", () => {
  const shown: readonly unknown[] = MESSAGES.map(({ make }) => make);
  const others: readonly unknown[] = [
    boundedText,
    errorText,
    foundText,
    isNodeAgentError,
    NodeAgentError,
    nodeAgentErrorCodes,
  ];
  const missing = Object.entries(all).filter(([, one]) => !shown.includes(one) && !others.includes(one));
  expect(missing.map(([name]) => name)).toEqual([]);
});

test("the README lists every code, and no other", () => {
  const text = readFileSync(new URL("../../../core/README.md", import.meta.url), "utf8");
  const table = text.split("\n").filter((line) => line.startsWith("| `") && !line.includes("@hooklet"));
  const reported = table.flatMap((line) =>
    [...(line.split("|")[1] ?? "").matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code),
  );
  expect(reported.toSorted()).toEqual([...nodeAgentErrorCodes].sort());
});

const cause = new Error("disk gone");

test.each<[string, () => NodeAgentError, object]>([
  ["a tap that failed", () => tapFailed(place, cause), { plugin: "gc", hook: "tick 300s", cause }],
  ["a tap that is late", () => tapTimeout(place, 60), { plugin: "gc", hook: "tick 300s" }],
  ["a tap that returned something else", () => tapOutput(place, "nothing", "1"), { plugin: "gc", hook: "tick 300s" }],
  ["a start", () => pluginStart("gc", "it threw", cause), { plugin: "gc", cause }],
  ["a call after a start", () => afterStart("gc", "addSource"), { plugin: "gc" }],
  ["a stop", () => pluginStop("gc", "it threw", cause), { plugin: "gc", cause }],
  ["a step that a person asked for", () => pluginTimeout("gc", "view", 60), { plugin: "gc" }],
  [
    "a machine that does not answer a plugin",
    () => hostUnavailable("x", { plugin: "gc", cause }),
    { plugin: "gc", cause },
  ],
  ["a socket without a listener", () => agentNotRunning("/s", "ENOENT", cause), { cause }],
  ["a port that is taken", () => cannotListen(":80", "EADDRINUSE", "Choose another.", cause), { cause }],
  [
    "a claim of two",
    () => new ClaimConflictError("env A", "one", "two"),
    { field: "env A", first: "one", second: "two" },
  ],
])("the error of %s has fields for its owner and its reason", (_, made, fields) => {
  expect(made()).toMatchObject({ name: "NodeAgentError", ...fields });
});

test("an error without an owner names none", () => {
  expect(killTimeout()).toMatchObject({ plugin: undefined, hook: undefined });
  expect(killTimeout()).not.toHaveProperty("cause");
});

describe("an error of hooklet's", () => {
  const foreign = (code: unknown) => Object.assign(new Error("x"), { code });
  test.each<[string, unknown, boolean]>([
    ["is known by its code", killTimeout(), true],
    ["may be of another copy of core", foreign("BUSY"), true],
    ["is not one of the system's", foreign("ENOENT"), false],
    ["is not one without a code", new Error("x"), false],
    ["is not an object that looks like it", { code: "BUSY" }, false],
  ])("%s", (_, error, expected) => expect(isNodeAgentError(error)).toBe(expected));

  test("can be asked for one code", () => {
    expect([isNodeAgentError(killTimeout(), "KILL_TIMEOUT"), isNodeAgentError(killTimeout(), "BUSY")]).toEqual([
      true,
      false,
    ]);
  });
});

test.each([
  { name: "nothing", value: undefined, text: "nothing" },
  { name: "a long text is cut", value: "x".repeat(100), text: `"${"x".repeat(76)}...` },
  { name: "a text of 80 characters is whole", value: "x".repeat(78), text: `"${"x".repeat(78)}"` },
  { name: "a number that JSON does not have", value: Number.NaN, text: "NaN" },
  { name: "a symbol", value: Symbol("a"), text: "Symbol(a)" },
  { name: "an object", value: { a: [1, null] }, text: '{"a":[1,null]}' },
  { name: "an object whose JSON is nothing", value: { toJSON: () => undefined }, text: "object" },
  { name: "a URL keeps its password for itself", value: "https://me:secret@host/", text: '"https://me:xxxxx@host/"' },
  { name: "a bigint", value: 1n, text: "1" },
  { name: "a function", value: () => {}, text: "a function" },
])("found: $name", ({ value, text }) => {
  expect(foundText(value)).toBe(text);
});

test("what refers to itself can still be shown", () => {
  const loop: { self?: unknown } = {};
  loop.self = loop;
  expect(foundText(loop)).toBe("an object that is not JSON ([object Object])");
  expect(errorText("text")).toBe("text");
});
