// The 110 pods of a soak. Each container ends in a `sleep` of a length of its own, by which it is found in /proc.
const SHELL_TRAP = 'trap "exit 0" TERM';

export const KINDS = { steady: 50, probed: 20, crashing: 20, finished: 10, changing: 10 };

/** Where the marks of a runtime's pods begin: two soaks at once do not count each other's. */
export const BASES = { process: 700_000, cri: 800_000 };

/** `at`: the number of a pod; `round`: how often it was changed. */
export const markOf = (base, at, round = 0) => `${base + at * 100 + (round % 100)}`;

/** `scale`: the part of the 110 that is wanted. `base`: of BASES. */
export function pods(scale, base) {
  let at = 0;
  return Object.entries(KINDS).flatMap(([kind, count]) =>
    Array.from({ length: Math.max(1, Math.round(count * scale)) }, () => ({ kind, at, base, name: `${kind}-${at++}` })),
  );
}

export function manifest({ kind, at, base, name }, image, round = 0) {
  const mark = markOf(base, at, round);
  const forever = `${SHELL_TRAP}; sleep ${mark} & wait $!`;
  const commands = {
    steady: forever,
    probed: forever,
    changing: forever,
    crashing: `${SHELL_TRAP}; sleep ${2 + (at % 7)}; exit 3`,
    finished: "exit 0",
  };
  const probe = { exec: { command: ["true"] }, periodSeconds: 2 + (at % 5), timeoutSeconds: 10, failureThreshold: 10 };
  const container = {
    name: "main",
    image,
    command: ["sh", "-c", commands[kind]],
    ...(kind === "probed" && { readinessProbe: probe, livenessProbe: probe }),
  };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { round: String(round) } },
    spec: {
      terminationGracePeriodSeconds: 2,
      restartPolicy: kind === "finished" ? "Never" : "Always",
      volumes: [{ name: "own", emptyDir: {} }],
      containers: [{ ...container, volumeMounts: [{ name: "own", mountPath: "/own" }] }],
    },
  });
}
