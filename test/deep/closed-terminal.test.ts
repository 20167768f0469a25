/** What `npm start` has started, when its terminal is closed, and when the agent alone is ended: on a real terminal, script(1)'s. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { root } from "../sources.js";
import { until, Workplace } from "../support/agent.js";
import { processesWith } from "../support/processes.js";

const LIMIT = 300_000;

let place: Workplace;
let terminal: ChildProcess;

beforeEach(async () => {
  place = await Workplace.create();
  await place.manifest("web.yaml", pod());
  // All is installed and built: a test is no place to do it again.
  const tools = path.join(place.folder, "bin");
  await mkdir(tools);
  await writeFile(path.join(tools, "npx"), "#!/bin/sh\nexit 0\n");
  await chmod(path.join(tools, "npx"), 0o755);
  const words = ["npm start --", "--root-dir", place.rootDir, "--manifests", place.manifests, "--port 0"].join(" ");
  terminal = spawn("script", ["-q", "-f", "-c", `stty cols 100 rows 30; ${words}`, path.join(place.folder, "screen")], {
    cwd: root,
    env: { ...process.env, PATH: `${tools}:${process.env.PATH}`, SHELL: "/bin/sh", TERM: "xterm" },
    stdio: ["pipe", "ignore", "inherit"],
  });
  await until("the pod runs", async () => (await place.hooklet("get", "pods")).stdout.includes("1/1"), 120);
  await until("the live view is there", async () =>
    readFileSync(path.join(place.folder, "screen"), "utf8").includes("web-"),
  );
}, LIMIT);

afterEach(async () => {
  terminal.kill("SIGKILL");
  // The agent that takes over what a failed test left.
  await place.start();
  await place.remove();
}, LIMIT);

/** Says of itself when it is stopped in order; the folder's name tells its processes from all others. */
function pod(): string {
  const script = `trap 'echo stopped > /reported/end; exit 0' TERM; : ${place.folder}; while :; do sleep 0.1; done`;
  return `
apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  terminationGracePeriodSeconds: 10
  volumes: [{ name: reported, hostPath: { path: ${place.folder}/reported, type: DirectoryOrCreate } }]
  containers:
    - { name: main, image: host, command: [sh, -c, "${script}"], volumeMounts: [{ name: reported, mountPath: /reported }] }
`;
}

/** Command lines of all processes that have to do with this test, by their ids: npm, what it runs, agent, containers. */
const running = (): ReadonlyMap<number, string> => processesWith(place.folder);

const of = (word: string): number[] => [...running()].filter(([, words]) => words.includes(word)).map(([id]) => id);

const CONTAINER = "while :; do sleep";
const AGENT = "hooklet.js run";

const stoppedInOrder = (): boolean => existsSync(path.join(place.folder, "reported/end"));

test(
  "a terminal that is closed takes the pods along, each stopped in order, and leaves no process behind",
  async () => {
    expect([of(AGENT).length, of(CONTAINER).length > 0]).toEqual([1, true]);
    // As a window that is closed: the kernel hangs up on all that is on the terminal.
    terminal.kill("SIGKILL");
    await until("all processes have ended", async () => running().size === 0, 120);
    expect(stoppedInOrder()).toBe(true);
  },
  LIMIT,
);

test(
  "SIGTERM to the agent alone leaves the pods as they are, and the terminal says so",
  async () => {
    const before = of(CONTAINER);
    const [agent = 0] = of(AGENT);
    process.kill(agent, "SIGTERM");
    await until("the agent has ended", async () => of(AGENT).length === 0 && terminal.exitCode !== null, 120);
    expect(of(CONTAINER)).toEqual(before);
    expect(stoppedInOrder()).toBe(false);
    expect(readFileSync(path.join(place.folder, "screen"), "utf8")).toContain(
      "The agent has ended; the pods run on, and the next agent takes them over.",
    );
  },
  LIMIT,
);
