import { COMMAND, IMAGE } from "../cri/bare.js";

/** A pod of two containers with three probes: http, tcp and exec. Period 0: without probes. */
export function manifest(name: string, periodSeconds: number): string {
  const common = { image: IMAGE, imagePullPolicy: "IfNotPresent" };
  const probes = (table: object): object => (periodSeconds === 0 ? {} : table);
  const spec = {
    terminationGracePeriodSeconds: 2,
    containers: [
      {
        ...common,
        name: "web",
        command: ["sh", "-c", "trap 'exit 0' TERM; httpd -p 8080 -h /; while :; do sleep 3600 & wait $!; done"],
        ...probes({
          readinessProbe: { httpGet: { path: "/etc/passwd", port: 8080 }, periodSeconds },
          livenessProbe: { tcpSocket: { port: 8080 }, periodSeconds },
        }),
      },
      {
        ...common,
        name: "side",
        command: COMMAND,
        ...probes({ readinessProbe: { exec: { command: ["true"] }, periodSeconds } }),
      },
    ],
  };
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec });
}
