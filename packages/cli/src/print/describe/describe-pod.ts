/** `hooklet describe pod`. Source of the layout: kubectl/pkg/describe/describe.go, describePod. */

import { initContainers, mainContainers, type Pod } from "@hooklet/manifest";
import type { Event, Toleration, Volume, VolumeProjection } from "kubernetes-types/core/v1.js";
import { humanDuration } from "../amounts.js";
import { elasticColumns } from "../columns.js";
import { lastSeen } from "../event-table.js";
import { describeContainers } from "./describe-container.js";
import { DescribeWriter } from "./writer.js";

/** `events`: those of the pod, oldest first. `now`: milliseconds since the epoch. */
export function describePod(pod: Pod, events: readonly Event[], now: number): string {
  const out = new DescribeWriter();
  const { metadata, spec, status = {} } = pod;
  out.field(0, "Name", metadata.name);
  out.field(0, "Namespace", metadata.namespace);
  out.field(0, "Priority", spec.priority ?? 0);
  if (spec.priorityClassName) out.field(0, "Priority Class Name", spec.priorityClassName);
  if (spec.runtimeClassName) out.field(0, "Runtime Class Name", spec.runtimeClassName);
  if (spec.serviceAccountName) out.field(0, "Service Account", spec.serviceAccountName);
  out.field(0, "Node", spec.nodeName ? `${spec.nodeName}/${status.hostIP ?? ""}` : "<none>");
  out.time(0, "Start Time", status.startTime);
  out.map("Labels", metadata.labels, "=");
  out.map("Annotations", metadata.annotations, ": ");
  describeStatus(out, pod, now);
  out.field(0, "IP", status.podIP ?? "");
  const ips = (status.podIPs ?? []).flatMap(({ ip }) => ip ?? []);
  if (ips.length === 0) out.field(0, "IPs", "<none>");
  else out.line(0, "IPs:");
  for (const ip of ips) out.field(1, "IP", ip);
  if (initContainers(pod).length > 0) {
    describeContainers(out, "Init Containers", pod, initContainers(pod), status.initContainerStatuses ?? []);
  }
  describeContainers(out, "Containers", pod, mainContainers(pod), status.containerStatuses ?? []);
  describeConditions(out, pod);
  describeVolumes(out, spec.volumes ?? []);
  if (status.qosClass) out.field(0, "QoS Class", status.qosClass);
  out.map("Node-Selectors", spec.nodeSelector, "=");
  describeTolerations(out, spec.tolerations ?? []);
  describeEvents(out, events, now);
  return elasticColumns(out.toString());
}

function describeStatus(out: DescribeWriter, { metadata, status = {} }: Pod, now: number): void {
  if (metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null) {
    out.field(0, "Status", `Terminating (lasts ${humanDuration(now - Date.parse(metadata.deletionTimestamp))})`);
    out.field(0, "Termination Grace Period", `${metadata.deletionGracePeriodSeconds ?? 0}s`);
  } else {
    out.field(0, "Status", status.phase ?? "");
  }
  if (status.reason) out.field(0, "Reason", status.reason);
  if (status.message) out.field(0, "Message", status.message);
}

function describeConditions(out: DescribeWriter, { status }: Pod): void {
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return;
  out.line(0, "Conditions:");
  out.line(1, "Type\tStatus");
  for (const { type, status: is } of conditions) out.line(1, `${type}\t${is}`);
}

function describeTolerations(out: DescribeWriter, tolerations: readonly Toleration[]): void {
  if (tolerations.length === 0) out.field(0, "Tolerations", "<none>");
  const texts = tolerations.map(tolerationText).sort();
  for (const [index, text] of texts.entries()) out.line(0, `${index === 0 ? "Tolerations:" : ""}\t${text}`);
}

function tolerationText({ key = "", value, effect, operator, tolerationSeconds }: Toleration): string {
  const head = `${key}${value ? `=${value}` : ""}${effect ? `:${effect}` : ""}`;
  const exists = operator === "Exists" && !value ? (key === "" && !effect ? "op=Exists" : " op=Exists") : "";
  return `${head}${exists}${tolerationSeconds === undefined ? "" : ` for ${humanDuration(tolerationSeconds * 1000)}`}`;
}

function describeEvents(out: DescribeWriter, events: readonly Event[], now: number): void {
  if (events.length === 0) {
    out.field(0, "Events", "<none>");
    return;
  }
  out.line(0, "Events:");
  const columns = ["Type", "Reason", "Age", "From", "Message"];
  out.line(1, columns.join("\t"));
  out.line(1, columns.map((name) => "-".repeat(name === "Reason" || name === "Message" ? name.length : 4)).join("\t"));
  for (const event of events) {
    const cells = [event.type, event.reason, lastSeen(event, now), event.source?.component, event.message?.trim()];
    out.line(1, cells.map((cell) => cell ?? "").join("\t"));
  }
}

type Field = readonly [label: string, value: string];

/** Volumes in kubectl's words, those kinds that hooklet mounts. */
function describeVolumes(out: DescribeWriter, volumes: readonly Volume[]): void {
  if (volumes.length === 0) out.field(0, "Volumes", "<none>");
  else out.line(0, "Volumes:");
  for (const volume of volumes) {
    out.line(1, `${volume.name}:`);
    const fields = volumeFields(volume);
    if (fields.length === 0) out.line(2, "<unknown>");
    for (const [label, value] of fields) out.field(2, label, value);
    for (const { path, fieldRef, resourceFieldRef } of volume.downwardAPI?.items ?? [])
      out.line(3, `${fieldRef?.fieldPath ?? resourceFieldRef?.resource} -> ${path}`);
  }
}

function volumeFields({ hostPath, emptyDir, configMap, secret, downwardAPI, projected, ...others }: Volume): Field[] {
  if (hostPath !== undefined)
    return [
      ["Type", "HostPath (bare host directory volume)"],
      ["Path", hostPath.path],
      ["HostPathType", hostPath.type ?? ""],
    ];
  if (emptyDir !== undefined)
    return [
      ["Type", "EmptyDir (a temporary directory that shares a pod's lifetime)"],
      ["Medium", emptyDir.medium ?? ""],
      ["SizeLimit", emptyDir.sizeLimit === undefined ? "<unset>" : String(emptyDir.sizeLimit)],
    ];
  if (configMap !== undefined)
    return [
      ["Type", "ConfigMap (a volume populated by a ConfigMap)"],
      ["Name", configMap.name ?? ""],
      ["Optional", String(configMap.optional ?? false)],
    ];
  if (secret !== undefined)
    return [
      ["Type", "Secret (a volume populated by a Secret)"],
      ["SecretName", secret.secretName ?? ""],
      ["Optional", String(secret.optional ?? false)],
    ];
  if (downwardAPI !== undefined)
    return [
      ["Type", "DownwardAPI (a volume populated by information about the pod)"],
      ["Items", ""],
    ];
  if (projected !== undefined)
    return [
      ["Type", "Projected (a volume that contains injected data from multiple sources)"],
      ...(projected.sources ?? []).flatMap(projectedFields),
    ];
  // Younger than the types: Kubernetes 1.31.
  const { image } = others as { readonly image?: { readonly reference?: string; readonly pullPolicy?: string } };
  if (image !== undefined)
    return [
      ["Type", "Image (a container image or OCI artifact)"],
      ["Reference", image.reference ?? ""],
      ["PullPolicy", image.pullPolicy ?? ""],
    ];
  return [];
}

function projectedFields({ secret, configMap, downwardAPI, serviceAccountToken }: VolumeProjection): Field[] {
  if (secret !== undefined)
    return [
      ["SecretName", secret.name ?? ""],
      ["Optional", String(secret.optional ?? false)],
    ];
  if (configMap !== undefined)
    return [
      ["ConfigMapName", configMap.name ?? ""],
      ["Optional", String(configMap.optional ?? false)],
    ];
  if (downwardAPI !== undefined) return [["DownwardAPI", "true"]];
  if (serviceAccountToken !== undefined)
    return [["TokenExpirationSeconds", String(serviceAccountToken.expirationSeconds ?? 3600)]];
  return [];
}
