import type { Probe } from "kubernetes-types/core/v1.js";

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
