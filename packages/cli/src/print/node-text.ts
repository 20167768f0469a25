/** `hooklet get node`, `describe node` and `get plugins`. */

import type { Image, Json, Resources, ViewColumn, ViewRow } from "@hooklet/core";
import type { NodeReport, PluginReport } from "@hooklet/core/base";
import { rfc3339 } from "@hooklet/utils";
import type { Node, NodeCondition } from "kubernetes-types/core/v1.js";
import { amount, humanDuration, resourceNames, roundBytes } from "./amounts.js";
import { elasticColumns, type Rows, table } from "./columns.js";
import { indent } from "./event-table.js";

/** Name, resources and what the runtime isolates. `now`: milliseconds since the epoch. */
export function nodeText(node: NodeReport, unready: Unready | undefined, now: number): string {
  const { runtime } = node;
  const facts = [
    ["Name", node.name],
    ["Address", node.ip],
    [
      "Labels",
      Object.entries(node.labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(", ") || "<none>",
    ],
    ["Taints", node.taints.map(taintText).join(", ") || "<none>"],
    ["Created", `${humanDuration(now - node.createdAt)} ago`],
    ["Agent", `hooklet ${node.agentVersion}, up ${humanDuration(now - node.startedAt)}`],
    ["Root dir", node.rootDir],
    ["Runtime", `${runtime.runtimeName} ${runtime.runtimeVersion}`],
    ...Object.entries(runtime.details ?? {}).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  ];
  const resources = resourceNames(node.capacity, node.allocatable, node.requested).map((name) => [
    name,
    ...[node.capacity, node.allocatable, node.requested].map((amounts) => amount(name, amounts[name] ?? 0)),
  ]);
  const isolation = runtime.isolation.map(({ what, isolated, how }) => [what, isolated, how]);
  return [
    elasticColumns(facts.map(([name, value]) => `${name}:\t${value}`).join("\n")),
    `Conditions:\n${indent(conditionTable(node, unready, now), 2)}`,
    `Resources:\n${indent(table(["RESOURCE", "CAPACITY", "ALLOCATABLE", "REQUESTED"], resources), 2)}`,
    `Isolation:\n${indent(table(["WHAT", "ISOLATED", "HOW"], isolation), 2)}`,
  ].join("\n");
}

/** kubectl's table of nodes. A condition that is a pressure stands in STATUS, too. */
export function nodeRows(
  nodes: readonly { readonly report: NodeReport; readonly isReady: boolean }[],
  wide: boolean,
  now: number,
): Rows {
  const rows = nodes.map(({ report, isReady }) => {
    const { name, ip, conditions, createdAt, agentVersion, system, runtime } = report;
    const pressures = conditions.flatMap(({ type, status }) =>
      /Pressure$/.test(type) && status === "True" ? [type] : [],
    );
    return [
      name,
      [isReady ? "Ready" : "NotReady", ...pressures].join(","),
      humanDuration(now - createdAt),
      `hooklet-${agentVersion}`,
      ...(wide ? [ip, system.osImage, system.kernelVersion, `${runtime.runtimeName}://${runtime.runtimeVersion}`] : []),
    ];
  });
  const more = wide ? ["INTERNAL-IP", "OS-IMAGE", "KERNEL-VERSION", "CONTAINER-RUNTIME"] : [];
  return { head: ["NAME", "STATUS", "AGE", "VERSION", ...more], rows };
}

/** As kubectl writes it: `key=value:effect`. */
function taintText({ key, value = "", effect }: NodeReport["taints"][number]): string {
  return `${key}${value === "" ? "" : `=${value}`}:${effect}`;
}

function conditionTable({ conditions, startedAt }: NodeReport, unready: Unready | undefined, now: number): string {
  const { status, reason = "", message = "" } = readyCondition(unready);
  const began = unready === undefined ? startedAt : unready.since;
  const since = began === undefined ? "" : humanDuration(now - began);
  const own = ["Ready", status, since, reason, "", message];
  const rows = conditions.map(({ type, status, lastTransitionTime, reason, message, plugin }) => [
    type,
    status,
    humanDuration(now - lastTransitionTime),
    reason,
    plugin,
    message,
  ]);
  return table(["TYPE", "STATUS", "SINCE", "REASON", "PLUGIN", "MESSAGE"], [...rows, own]);
}

/** A plugin a row; wide: a tap a row, with its figures. */
export function pluginRows(plugins: readonly PluginReport[], wide: boolean): Rows {
  if (!wide) {
    const rows = plugins.map(({ name, state, health, taps, views, description }) => [
      name,
      state,
      healthText(health),
      [...new Set(taps.map(({ hook }) => hook))].join(",") || "<none>",
      views.join(",") || "<none>",
      description,
    ]);
    return { head: ["NAME", "STATE", "HEALTH", "HOOKS", "VIEWS", "DESCRIPTION"], rows };
  }
  const rows = plugins.flatMap(({ name, state, origin, taps }) =>
    (taps.length === 0 ? [undefined] : taps).map((tap) => [
      name,
      state,
      ...(tap === undefined
        ? ["<none>", "", "", "", "", "", ""]
        : [
            tap.name === name ? tap.hook : `${tap.hook} (${tap.name})`,
            tap.active ? "on" : "off",
            ...[tap.calls, tap.errors, tap.timeouts, tap.skipped].map(String),
            tap.calls === 0 ? "-" : `${Number((tap.totalMilliseconds / tap.calls).toPrecision(3))}ms`,
          ]),
      origin,
    ]),
  );
  const head = ["NAME", "STATE", "TAP", "ACTIVE", "CALLS", "ERRORS", "TIMEOUTS", "SKIPPED", "MEAN", "ORIGIN"];
  return { head, rows };
}

function healthText({ ok, message }: PluginReport["health"]): string {
  return ok ? "ok" : `failing: ${message ?? "no reason given"}`;
}

/** Tables of plugins and of images. */
export function viewRows(columns: readonly ViewColumn[], rows: readonly ViewRow[], wide: boolean): Rows {
  const shown = columns.filter((column) => wide || column.wide !== true);
  return {
    head: shown.map(({ name }) => name.toUpperCase()),
    rows: rows.map((row) => shown.map(({ name }) => cell(row[name]))),
  };
}

function cell(value: Json | undefined): string {
  if (value === undefined || value === null || value === "") return "<none>";
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return value.join(",") || "<none>";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function imageRows(images: readonly Image[], wide: boolean): Rows {
  const rows = images.flatMap(({ id, repoTags, repoDigests, size, pinned }) =>
    (repoTags.length === 0 ? ["<none>"] : repoTags).map((name) => [
      name,
      wide ? id : id.replace(/^sha256:/, "").slice(0, 12),
      roundBytes(size),
      ...(wide ? [pinned ? "yes" : "no", repoDigests.join(",") || "<none>"] : []),
    ]),
  );
  return { head: ["NAME", "IMAGE ID", "SIZE", ...(wide ? ["PINNED", "DIGESTS"] : [])], rows };
}

// The node as a v1 Node, as `get node -o yaml` shows it.

/** What keeps a node from being ready. */
export interface Unready {
  readonly message: string;
  /** Milliseconds since the epoch, where an event says it. */
  readonly since?: number | undefined;
}

/** As the kubelet has it. */
export function readyCondition(unready: Unready | undefined): NodeCondition {
  return unready === undefined
    ? { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }
    : { type: "Ready", status: "False", reason: "KubeletNotReady", message: unready.message };
}

export function nodeObject(
  node: NodeReport,
  images: readonly Image[],
  unready: Unready | undefined,
  now: number,
): Node {
  const { system, runtime, agentVersion } = node;
  const time = rfc3339(now);
  const ready: NodeCondition = {
    ...readyCondition(unready),
    lastHeartbeatTime: time,
    lastTransitionTime: rfc3339(unready?.since ?? node.startedAt),
  };
  const conditions = node.conditions.map(({ plugin: _, lastHeartbeatTime, lastTransitionTime, ...condition }) => ({
    ...condition,
    lastHeartbeatTime: rfc3339(lastHeartbeatTime),
    lastTransitionTime: rfc3339(lastTransitionTime),
  }));
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: node.name, labels: { ...node.labels }, creationTimestamp: rfc3339(node.createdAt) },
    spec: node.taints.length === 0 ? {} : { taints: node.taints.map((taint) => ({ ...taint })) },
    status: {
      addresses: [
        { type: "InternalIP", address: node.ip },
        { type: "Hostname", address: node.name },
      ],
      capacity: amounts(node.capacity),
      allocatable: amounts(node.allocatable),
      conditions: [...conditions, ready],
      images: images.map(({ repoTags, repoDigests, size }) => ({
        names: [...repoDigests, ...repoTags],
        sizeBytes: size,
      })),
      nodeInfo: {
        ...system,
        containerRuntimeVersion: `${runtime.idPrefix}://${runtime.runtimeVersion}`,
        kubeletVersion: `hooklet-${agentVersion}`,
        kubeProxyVersion: "",
      },
    },
  };
}

function amounts(resources: Resources): Record<string, string> {
  return Object.fromEntries(Object.entries(resources).map(([name, value]) => [name, amount(name, value ?? 0)]));
}
