import { expect, test } from "@jest/globals";
import { FakeAgent } from "../../../../server/test/fake-agent.js";
import { NOW } from "../../../../server/test/samples.js";
import { nodeRows, nodeText, pluginRows } from "../../../src/print/node-text.js";

const report = { ...(await new FakeAgent().node()), rootDir: "/state" };
const [plugin] = new FakeAgent().plugins();
if (plugin === undefined) throw new Error("expected a plugin");
const condition = {
  plugin: "eviction",
  type: "MemoryPressure",
  status: "True" as const,
  reason: "Low",
  message: "too little",
  lastHeartbeatTime: NOW,
  lastTransitionTime: NOW - 5_000,
};

test("a node without labels, taints and conditions", () => {
  expect(`\n${nodeText({ ...report, labels: {} }, undefined, NOW)}\n`).toBe(`
Name:      node1
Address:   10.0.0.1
Labels:    <none>
Taints:    <none>
Created:   60m ago
Agent:     hooklet 1.2.3, up 60s
Root dir:  /state
Runtime:   fake 1
Conditions:
  TYPE    STATUS   SINCE   REASON         PLUGIN   MESSAGE
  Ready   True     60s     KubeletReady            kubelet is posting ready status
Resources:
  RESOURCE   CAPACITY   ALLOCATABLE   REQUESTED
  cpu        4          3900m         250m
  memory     8Gi        7Gi           64Mi
  pods       110        110           1
Isolation:
  WHAT     ISOLATED   HOW
  mounts   yes        a namespace each
`);
});

test("a node with all that there may be", () => {
  const node = {
    ...report,
    labels: { a: "b", c: "d" },
    taints: [
      { key: "x", value: "y", effect: "NoSchedule" as const },
      { key: "z", effect: "NoExecute" as const },
    ],
    conditions: [condition],
    capacity: { "example.com/gpu": 1 },
    allocatable: {},
    requested: { cpu: 100 },
    runtime: { ...report.runtime, isolation: [], details: { Root: "/r", Limits: { cpu: true } } },
  };
  expect(`\n${nodeText(node, { message: "runtime cri: down", since: NOW - 7_000 }, NOW)}\n`).toBe(`
Name:      node1
Address:   10.0.0.1
Labels:    a=b, c=d
Taints:    x=y:NoSchedule, z:NoExecute
Created:   60m ago
Agent:     hooklet 1.2.3, up 60s
Root dir:  /state
Runtime:   fake 1
Root:      /r
Limits:    {"cpu":true}
Conditions:
  TYPE             STATUS   SINCE   REASON            PLUGIN     MESSAGE
  MemoryPressure   True     5s      Low               eviction   too little
  Ready            False    7s      KubeletNotReady              runtime cri: down
Resources:
  RESOURCE          CAPACITY   ALLOCATABLE   REQUESTED
  cpu               0          0             100m
  example.com/gpu   1          0             0
Isolation:
  WHAT   ISOLATED   HOW
`);
});

test("the table of nodes names each pressure that there is", () => {
  const others = [
    { ...condition, type: "DiskPressure", status: "False" as const },
    { ...condition, type: "NetworkUnavailable" },
    { ...condition, type: "PressureOfTime" },
  ];
  const nodes = [
    { report, isReady: true },
    { report: { ...report, conditions: [condition, ...others] }, isReady: false },
  ];
  expect(nodeRows(nodes, false, NOW)).toEqual({
    head: ["NAME", "STATUS", "AGE", "VERSION"],
    rows: [
      ["node1", "Ready", "60m", "hooklet-1.2.3"],
      ["node1", "NotReady,MemoryPressure", "60m", "hooklet-1.2.3"],
    ],
  });
});

test("the wide table of nodes has the system and the runtime", () => {
  expect(nodeRows([{ report, isReady: true }], true, NOW)).toEqual({
    head: ["NAME", "STATUS", "AGE", "VERSION", "INTERNAL-IP", "OS-IMAGE", "KERNEL-VERSION", "CONTAINER-RUNTIME"],
    rows: [["node1", "Ready", "60m", "hooklet-1.2.3", "10.0.0.1", "Sample Linux 1", "6.1.0", "fake://1"]],
  });
});

const tap = {
  hook: "podAdmit" as const,
  name: "sample",
  active: true,
  calls: 0,
  errors: 0,
  timeouts: 0,
  skipped: 0,
  totalMilliseconds: 0,
};

test("a plugin is a row with its hooks, each once, and its views", () => {
  const plugins = [
    { ...plugin, taps: [tap, { ...tap, name: "b" }, { ...tap, hook: "podStart" as const }], views: ["a", "b"] },
    { ...plugin, taps: [], health: { ok: false, message: "no disk" } },
    { ...plugin, taps: [], health: { ok: false } },
  ];
  expect(pluginRows(plugins as (typeof plugin)[], false)).toEqual({
    head: ["NAME", "STATE", "HEALTH", "HOOKS", "VIEWS", "DESCRIPTION"],
    rows: [
      ["sample", "running", "ok", "podAdmit,podStart", "a,b", "counts"],
      ["sample", "running", "failing: no disk", "<none>", "<none>", "counts"],
      ["sample", "running", "failing: no reason given", "<none>", "<none>", "counts"],
    ],
  });
});

test("wide, a tap is a row with its figures", () => {
  const busy = {
    ...tap,
    name: "other",
    active: false,
    calls: 3,
    errors: 4,
    timeouts: 5,
    skipped: 6,
    totalMilliseconds: 10,
  };
  const plugins = [
    { ...plugin, taps: [tap, busy] },
    { ...plugin, taps: [] },
  ];
  expect(pluginRows(plugins, true)).toEqual({
    head: ["NAME", "STATE", "TAP", "ACTIVE", "CALLS", "ERRORS", "TIMEOUTS", "SKIPPED", "MEAN", "ORIGIN"],
    rows: [
      ["sample", "running", "podAdmit", "on", "0", "0", "0", "0", "-", "default"],
      ["sample", "running", "podAdmit (other)", "off", "3", "4", "5", "6", "3.33ms", "default"],
      ["sample", "running", "<none>", "", "", "", "", "", "", "default"],
    ],
  });
});
