/** The pods whose state is damaged, and the config of their node. */
import { availableParallelism } from "node:os";

/** No damage may cost these a container. */
export const KEPT = ["one", "two", "three", "applied"];
/** The files that a container does not outlive are damaged of these alone: of a static pod, and of one that was applied. */
export const DOOMED = "doomed";
export const REAPPLIED = "reapplied";
/** Each of these has one process. */
export const STEADY = [...KEPT, DOOMED, REAPPLIED];

/** Two are the least of which one can be a container's own. */
const hasCpus = availableParallelism() > 1;

export const config = JSON.stringify({
  node: { evictionHard: {}, ...(hasCpus && { reservedSystemCPUs: "0" }) },
  plugins: [
    ["devices", {}],
    ["cgroups", hasCpus ? { cpuManagerPolicy: "static" } : {}],
  ],
});

interface Unlike {
  readonly script?: string;
  readonly restartPolicy?: string;
  readonly annotations?: object;
  /** Fields of its container. */
  readonly container?: object;
}

/** `mark`: stands in the command lines of all containers of this run. */
export function staticPods(mark: string): Readonly<Record<string, string>> {
  const ready = { exec: { command: ["true"] }, periodSeconds: 1, timeoutSeconds: 60 };
  return {
    one: pod(mark, "one", { container: { readinessProbe: ready } }),
    two: pod(mark, "two", { container: { volumeMounts: [{ name: "data", mountPath: "/data" }] } }),
    three: pod(mark, "three", hasCpus ? { container: { resources: { limits: { cpu: "1", memory: "64Mi" } } } } : {}),
    done: pod(mark, "done", { script: "exit 0", restartPolicy: "Never" }),
    crash: pod(mark, "crash", { script: "sleep 2; exit 3" }),
    [DOOMED]: doomedPod(mark, 0),
  };
}

/** With another number it is another pod, for which no back-off is remembered. */
export const doomedPod = (mark: string, number: number): string =>
  pod(mark, DOOMED, { annotations: { number: String(number) } });

export function appliedObjects(mark: string): string {
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "map" }, data: { key: "value" } };
  const container = { envFrom: [{ configMapRef: { name: "map" } }] };
  return [JSON.stringify(map), pod(mark, "applied", { container }), pod(mark, REAPPLIED, {})].join("\n---\n");
}

/** Words that only the command lines of this pod's containers hold. */
export const wordsOf = (mark: string, name: string): string => `${mark}-${name};`;

function pod(mark: string, name: string, { script, restartPolicy, annotations, container }: Unlike): string {
  const rest = script ?? "while :; do echo .; sleep 0.3; done";
  const command = ["sh", "-c", `trap 'exit 0' TERM; : ${wordsOf(mark, name)} ${rest}`];
  const spec = {
    restartPolicy: restartPolicy ?? "Always",
    terminationGracePeriodSeconds: 1,
    volumes: [{ name: "data", emptyDir: {} }],
    containers: [{ name: "main", image: "host", command, ...container }],
  };
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name, annotations }, spec });
}
