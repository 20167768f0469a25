/** A container runtime that is dead, slow, garbage or lying as a whole: the agent lives, answers, harms no pod, and goes on when the runtime is sane. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { root } from "../sources.js";
import { until, Workplace } from "../support/agent.js";

/** Milliseconds that a runtime lies for. */
const LIES = 3_000;
/** Milliseconds within which the agent answers; a second where the machine does nothing else. */
const ANSWERS = 10_000;
const MEBIBYTE = 1024 * 1024;

let place: Workplace;
let runtime: ChildProcess;
let victim: string;
let args: readonly string[];

beforeEach(async () => {
  place = await Workplace.create();
  victim = path.join(place.folder, "victim");
  await mkdir(victim);
  await writeFile(path.join(victim, "file"), "of somebody else");
  const socket = path.join(place.folder, "cri.sock");
  runtime = fork(path.join(root, "test/support/fake-cri.mjs"), [socket, victim]);
  await once(runtime, "message");
  const config = path.join(place.folder, "rc.json");
  const options = { endpoint: `unix://${socket}`, runtimeRequestTimeout: "2s" };
  await writeFile(config, JSON.stringify({ node: { evictionHard: {} }, runtime: { use: "cri", options } }));
  args = ["--config", config, "--node-name", "node"];
});

afterEach(async () => {
  await behaves("sane");
  await place.remove();
  runtime.disconnect();
}, 120_000);

/** What it was asked to stop or remove so far. */
async function behaves(mode: string): Promise<readonly string[]> {
  const answer = once(runtime, "message");
  runtime.send(mode);
  const [{ ended }] = (await answer) as [{ ended: readonly string[] }];
  return ended;
}

const pod = (name: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  terminationGracePeriodSeconds: 1
  dnsPolicy: Default
  containers: [{ name: main, image: "app:1", imagePullPolicy: IfNotPresent, command: [sleep, "1000"] }]
`;

async function runs(name: string): Promise<void> {
  await place.manifest(`${name}.yaml`, pod(name));
  await until(
    () => `${name} runs\n${place.output.slice(-4_000)}`,
    async () => (await place.pod(name))?.status.phase === "Running",
  );
}

function healthz(): Promise<number> {
  return new Promise((resolve, reject) => {
    http
      .get({ socketPath: path.join(place.rootDir, "hooklet.sock"), path: "/healthz" }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
      .on("error", reject);
  });
}

/** Of the agent and its helpers: resident bytes, and seconds of CPU. */
function costs(): { readonly memory: number; readonly cpu: number } {
  let [memory, cpu] = [0, 0];
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${id}/cmdline`, "utf8").includes(place.rootDir)) continue;
      const stat = readFileSync(`/proc/${id}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      cpu += (Number(stat[11]) + Number(stat[12])) / 100;
      memory += Number(stat[21]) * 4096;
    } catch {
      // It ended meanwhile.
    }
  }
  return { memory, cpu };
}

/** The longest that an answer took while the runtime lies, milliseconds, and what it cost. */
async function lives(): Promise<{ readonly longest: number; readonly cpu: number; readonly memory: number }> {
  const before = costs();
  const end = Date.now() + LIES;
  let longest = 0;
  while (Date.now() < end) {
    const began = Date.now();
    await healthz();
    await place.pods();
    longest = Math.max(longest, Date.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { memory, cpu } = costs();
  return { longest, cpu: cpu - before.cpu, memory };
}

const foreign = (ids: readonly string[]): readonly string[] =>
  ids.filter((id) => !/^(?:sandbox|container)-\d+$/.test(id));

describe("a runtime that was sane before", () => {
  test.each([
    "silent",
    "closes",
    "garbage",
    "http1",
    "slow",
    "huge",
    "huge-errors",
    "crowd",
    "lies",
    "flips",
    "floods",
    "floods-again",
  ])(
    "%s: the agent lives, answers, and goes on afterwards",
    async (mode) => {
      await place.start(...args);
      await runs("a");
      await behaves(mode);
      await place.manifest("b.yaml", pod("b"));
      const found = await lives();
      expect(found.longest).toBeLessThan(ANSWERS);
      expect(found.memory).toBeLessThan(700 * MEBIBYTE);
      await behaves("sane");
      await runs("b");
      expect((await place.pod("a"))?.status.phase).toBe("Running");
      expect(foreign(await behaves("calls"))).toEqual([]);
      expect(readFileSync(path.join(victim, "file"), "utf8")).toBe("of somebody else");
      expect(place.output).not.toContain("The agent restarts");
      expect(place.output).not.toContain("\u001b[31m");
    },
    300_000,
  );
});

test("lies from the first answer on: paths in its labels lead nowhere, and nothing of others is stopped", async () => {
  await behaves("lies");
  await place.start(...args);
  await place.manifest("a.yaml", pod("a"));
  await lives();
  await behaves("sane");
  await runs("b");
  await lives();
  expect(existsSync(path.join(victim, "file"))).toBe(true);
  expect(foreign(await behaves("calls"))).toEqual([]);
}, 300_000);

test.each(["garbage", "http1", "silent"])(
  "%s from the start on: the agent ends, and names the endpoint",
  async (mode) => {
    await behaves(mode);
    const { code, stderr } = await place.hooklet("run", ...args, "--manifests", place.manifests, "--port", "0");
    expect(code).not.toBe(0);
    expect(stderr).toContain("cri.sock");
  },
  120_000,
);
