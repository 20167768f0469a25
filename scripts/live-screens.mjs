// Writes docs/reference/live-view.md: the live view of `hooklet run` and its keys, drawn by its own code. Run after a build: node scripts/live-screens.mjs [FILE]
import { writeFile } from "node:fs/promises";
import { styling } from "../packages/hooklet/dist/run/view/paint.js";
import { screen } from "../packages/hooklet/dist/run/view/screen.js";
import { firstState } from "../packages/hooklet/dist/run/view/view-state.js";

const NOW = Date.UTC(2026, 10, 22, 12);
const ago = (seconds) => new Date(NOW - seconds * 1000).toISOString();

function pod(
  name,
  {
    seconds = 600,
    state = { running: {} },
    lastState = {},
    ready = true,
    restartCount = 0,
    reason,
    message,
    phase = "Running",
  } = {},
) {
  const status = { phase, startTime: ago(seconds), conditions: [{ type: "Ready", status: ready ? "True" : "False" }] };
  return {
    metadata: { name: `${name}-worker-1`, namespace: "default", uid: name, creationTimestamp: ago(seconds) },
    spec: { nodeName: "worker-1", containers: [{ name: "main", image: "host" }] },
    status: reason
      ? { ...status, reason, message }
      : {
          ...status,
          containerStatuses: [{ name: "main", image: "host", imageID: "", ready, restartCount, state, lastState }],
        },
  };
}

const crash = { exitCode: 1, reason: "Error", startedAt: ago(14), finishedAt: ago(12) };
const pods = [
  pod("crash", {
    ready: false,
    restartCount: 3,
    state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s restarting failed container=main" } },
    lastState: { terminated: crash },
  }),
  pod("greedy", {
    phase: "Failed",
    reason: "OutOfcpu",
    message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 64000, used: 250, capacity: 4000",
  }),
  pod("queue", { ready: false, seconds: 3, phase: "Pending", state: { waiting: { reason: "ContainerCreating" } } }),
  pod("web"),
  ...Array.from({ length: 9 }, (_, n) => pod(`shop-${n}`)),
];
const event = (name, reason, message, seconds, count) => ({
  type: "Warning",
  reason,
  message,
  count,
  firstTimestamp: ago(seconds * 4),
  lastTimestamp: ago(seconds),
  involvedObject: { kind: "Pod", name: `${name}-worker-1`, uid: name },
});
const events = [
  event(
    "greedy",
    "OutOfcpu",
    "Node didn't have enough resource: cpu, requested: 64000, used: 250, capacity: 4000",
    40,
    1,
  ),
  event("crash", "BackOff", "Back-off restarting failed container main in pod crash-worker-1_default", 12, 9),
];

function picture(state, columns, rows) {
  const { lines } = screen({
    state,
    pods,
    events,
    messages: [],
    lastLines: new Map([["crash/main", "FATAL: no such table: users"]]),
    about:
      "hooklet 0.1.0 on worker-1 | socket .hooklet/hooklet.sock | http://127.0.0.1:10248 | examples/hookletrc.yaml",
    notice: undefined,
    hasKeys: true,
    columns,
    rows,
    style: styling(false),
    now: NOW,
  });
  return `\`\`\`text\n${lines.map((line) => line.trimEnd()).join("\n")}\n\`\`\`\n`;
}

const text = `# The live view

On a terminal, \`hooklet run\` shows the live view. Pods in trouble come first, each with the reason and the last line of its log.
When hooklet exits, it restores the terminal and prints a summary.

${picture(firstState, 80, 24)}
Press \`?\` to see the keys:

${picture({ ...firstState, mode: "help", scroll: 0 }, 80, 17)}`;
await writeFile(process.argv[2] ?? new URL("../docs/reference/live-view.md", import.meta.url), text);
