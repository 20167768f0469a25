/** `hooklet run` on a real terminal that is not read: script(1)'s, held by Ctrl-S. */
import { type ChildProcess, spawn } from "node:child_process";
import { afterEach, beforeEach, test } from "@jest/globals";
import { binary, until, Workplace } from "../support/agent.js";
import { processesWith } from "../support/processes.js";

const LIMIT = 300_000;
const CTRL_S = "\x13";
/** Each warns of its image: together more than a terminal holds. */
const PODS = 60;

let place: Workplace;
let terminal: ChildProcess;

beforeEach(async () => {
  place = await Workplace.create();
  const words = [binary, "run", "--root-dir", place.rootDir, "--manifests", place.manifests, "--port 0"];
  const command = `stty ixon; exec ${words.join(" ")} --log-format text --log-level debug`;
  terminal = spawn("script", ["-q", "-f", "-c", command, "/dev/null"], {
    cwd: place.folder,
    env: { ...process.env, SHELL: "/bin/sh", TERM: "xterm" },
    stdio: ["pipe", "ignore", "inherit"],
  });
  await until("the agent answers", async () => (await place.hooklet("get", "pods")).code === 0);
}, LIMIT);

afterEach(async () => {
  terminal.kill("SIGKILL");
  await place.remove();
}, LIMIT);

test(
  "the agent manages its pods, and ends on request",
  async () => {
    terminal.stdin?.write(CTRL_S);
    await new Promise((resolve) => setTimeout(resolve, 500));
    for (let number = 0; number < PODS; number += 1) await place.manifest(`bad-${number}.yaml`, pod(`bad-${number}`));
    await until("the agent knows all pods", async () => (await place.pods()).length === PODS);
    await place.manifest("late.yaml", pod("late"));
    await until("it knows a pod that comes later", async () => (await place.pod("late")) !== undefined);
    const agents = (): number[] => [...processesWith(place.rootDir)].filter(isAgent).map(([id]) => id);
    for (const id of agents()) process.kill(id, "SIGTERM");
    await until("the agent ends", async () => agents().length === 0);
  },
  LIMIT,
);

function isAgent([, line]: readonly [number, string]): boolean {
  return line.includes("hooklet.js run") && !line.startsWith("script") && !line.startsWith("sh ");
}

const pod = (name: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec: { containers: [{ name: main, image: "no-such-image-of-${name}:1", imagePullPolicy: Never }] }
`;
