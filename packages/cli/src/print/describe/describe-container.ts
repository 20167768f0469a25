/** The part of `describe pod` about its containers. Source: kubectl/pkg/describe/describe.go, describeContainers. */

import { resourceValue } from "@hooklet/core/rules";
import type { Container, Pod } from "@hooklet/manifest";
import type { ContainerState, ContainerStatus, EnvFromSource, EnvVarSource, Probe } from "kubernetes-types/core/v1.js";
import type { DescribeWriter } from "./writer.js";

export function describeContainers(
  out: DescribeWriter,
  label: string,
  pod: Pod,
  containers: readonly Container[],
  statuses: readonly ContainerStatus[],
): void {
  out.line(0, `${label}:`);
  for (const container of containers) {
    out.line(1, `${container.name}:`);
    const status = statuses.find(({ name }) => name === container.name);
    if (status !== undefined) out.field(2, "Container ID", status.containerID ?? "");
    out.field(2, "Image", container.image ?? "");
    if (status !== undefined) out.field(2, "Image ID", status.imageID);
    ports(out, container);
    list(out, "Command", container.command);
    list(out, "Args", container.args);
    if (status !== undefined) state(out, status);
    resources(out, "Limits", container.resources?.limits);
    resources(out, "Requests", container.resources?.requests);
    if (container.livenessProbe !== undefined) out.field(2, "Liveness", probeText(container.livenessProbe));
    if (container.readinessProbe !== undefined) out.field(2, "Readiness", probeText(container.readinessProbe));
    if (container.startupProbe !== undefined) out.field(2, "Startup", probeText(container.startupProbe));
    environmentFrom(out, container.envFrom ?? []);
    environment(out, pod, container);
    mounts(out, container);
  }
}

function ports(out: DescribeWriter, { ports: all = [] }: Container): void {
  const plural = all.length > 1 ? "s" : "";
  const text = (of: (port: (typeof all)[number]) => number | undefined): string =>
    all.map((port) => `${of(port) ?? 0}/${port.protocol ?? "TCP"}`).join(", ") || "<none>";
  out.field(
    2,
    `Port${plural}`,
    all
      .map(({ containerPort, protocol = "TCP", name }) => `${containerPort}/${protocol}${name ? ` (${name})` : ""}`)
      .join(", ") || "<none>",
  );
  out.field(
    2,
    `Host Port${plural}`,
    text(({ hostPort }) => hostPort),
  );
}

function list(out: DescribeWriter, label: string, words: readonly string[] | undefined): void {
  if (words === undefined || words.length === 0) return;
  out.line(2, `${label}:`);
  for (const word of words) for (const line of word.split("\n")) out.line(3, line);
}

function state(out: DescribeWriter, status: ContainerStatus): void {
  oneState(out, "State", status.state ?? {});
  if (status.lastState?.terminated !== undefined) oneState(out, "Last State", status.lastState);
  out.field(2, "Ready", status.ready ? "True" : "False");
  out.field(2, "Restart Count", status.restartCount);
}

function oneState(out: DescribeWriter, label: string, { running, waiting, terminated }: ContainerState): void {
  if (running !== undefined) {
    out.field(2, label, "Running");
    out.time(3, "Started", running.startedAt);
  } else if (terminated !== undefined) {
    out.field(2, label, "Terminated");
    if (terminated.reason) out.field(3, "Reason", terminated.reason);
    if (terminated.message) out.field(3, "Message", terminated.message);
    out.field(3, "Exit Code", terminated.exitCode);
    if (terminated.signal) out.field(3, "Signal", terminated.signal);
    out.time(3, "Started", terminated.startedAt);
    out.time(3, "Finished", terminated.finishedAt);
  } else {
    out.field(2, label, "Waiting");
    if (waiting?.reason) out.field(3, "Reason", waiting.reason);
    if (waiting?.message) out.field(3, "Message", waiting.message);
  }
}

function resources(out: DescribeWriter, label: string, amounts: Readonly<Record<string, unknown>> | undefined): void {
  const names = Object.keys(amounts ?? {}).sort();
  if (names.length > 0) out.line(2, `${label}:`);
  for (const name of names) out.field(3, name, String(amounts?.[name]));
}

function environmentFrom(out: DescribeWriter, sources: readonly EnvFromSource[]): void {
  if (sources.length > 0) out.line(2, "Environment Variables from:");
  for (const { configMapRef, secretRef, prefix } of sources) {
    const { name = "", optional = false } = configMapRef ?? secretRef ?? {};
    const kind = configMapRef === undefined ? "Secret" : "ConfigMap";
    out.line(3, `${name}\t${kind}${prefix ? ` with prefix '${prefix}'` : ""}\tOptional: ${optional}`);
  }
}

function environment(out: DescribeWriter, pod: Pod, container: Container): void {
  const env = container.env ?? [];
  if (env.length === 0) out.field(2, "Environment", "<none>");
  else out.line(2, "Environment:");
  for (const { name, value = "", valueFrom } of env) {
    const [first = "", ...more] = valueFrom === undefined ? value.split("\n") : [sourceText(pod, container, valueFrom)];
    out.field(3, name, first);
    for (const line of more) out.line(3, `\t${line}`);
  }
}

/** What the pod alone shows of the value. */
function sourceText(pod: Pod, container: Container, from: EnvVarSource): string {
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef } = from;
  if (fieldRef !== undefined) {
    const { name, namespace } = pod.metadata;
    const { hostIP = "", podIP = "" } = pod.status ?? {};
    const known: Readonly<Record<string, string>> = {
      "metadata.name": name,
      "metadata.namespace": namespace,
      "metadata.uid": pod.metadata.uid,
      "spec.nodeName": pod.spec.nodeName ?? "",
      "spec.serviceAccountName": pod.spec.serviceAccountName ?? "",
      "status.hostIP": hostIP,
      "status.podIP": podIP,
    };
    return `${known[fieldRef.fieldPath] ?? ""} (${fieldRef.apiVersion ?? "v1"}:${fieldRef.fieldPath})`;
  }
  if (resourceFieldRef !== undefined) {
    const { resource } = resourceFieldRef;
    const amount = resourceValue(pod, container, resourceFieldRef, {});
    const isNodes = amount === "0" && (resource === "limits.cpu" || resource === "limits.memory");
    return `${isNodes ? "node allocatable" : amount} (${resource})`;
  }
  if (secretKeyRef !== undefined) {
    const { key, name = "", optional = false } = secretKeyRef;
    return `<set to the key '${key}' in secret '${name}'>\tOptional: ${optional}`;
  }
  if (configMapKeyRef === undefined) return "";
  const { key, name = "", optional = false } = configMapKeyRef;
  return `<set to the key '${key}' of config map '${name}'>\tOptional: ${optional}`;
}

function mounts(out: DescribeWriter, { volumeMounts = [], volumeDevices = [] }: Container): void {
  if (volumeMounts.length === 0) out.field(2, "Mounts", "<none>");
  else out.line(2, "Mounts:");
  for (const { mountPath, name, readOnly, subPath } of volumeMounts.toSorted((a, b) =>
    a.mountPath < b.mountPath ? -1 : 1,
  )) {
    const flags = [readOnly ? "ro" : "rw", ...(subPath ? [`path="${subPath}"`] : [])];
    out.line(3, `${mountPath} from ${name} (${flags.join(",")})`);
  }
  for (const { devicePath, name } of volumeDevices) out.line(3, `${devicePath} from ${name}`);
}

/** `http-get http://:8080/ delay=0s timeout=1s period=10s #success=1 #failure=3`, as kubectl's DescribeProbe. */
export function probeText(probe: Probe): string {
  const { initialDelaySeconds = 0, timeoutSeconds = 1, periodSeconds = 10 } = probe;
  const rhythm = `delay=${initialDelaySeconds}s timeout=${timeoutSeconds}s period=${periodSeconds}s`;
  return `${handler(probe)} ${rhythm} #success=${probe.successThreshold ?? 1} #failure=${probe.failureThreshold ?? 3}`;
}

function handler({ exec, httpGet, tcpSocket, grpc }: Probe): string {
  if (exec !== undefined) return `exec [${(exec.command ?? []).join(" ")}]`;
  if (httpGet !== undefined) {
    const { scheme = "HTTP", host = "", port, path = "" } = httpGet;
    return `http-get ${scheme.toLowerCase()}://${host}:${port}${path.startsWith("/") ? "" : "/"}${path}`;
  }
  if (tcpSocket !== undefined) return `tcp-socket ${tcpSocket.host ?? ""}:${tcpSocket.port}`;
  if (grpc !== undefined) return `grpc <pod>:${grpc.port} ${grpc.service ?? ""}`;
  return "unknown";
}
