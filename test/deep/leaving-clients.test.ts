/** 200 clients of commands that leave at once do not hold the agent up. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { allPids, commandOf } from "../../scripts/machine.mjs";
import { until, Workplace } from "../support/agent.js";

const CLIENTS = 200;
/** Milliseconds that the agent's own work may keep an answer waiting when all clients leave. What other programs take does not count here. */
const OWN_WORK = 100;
/** Milliseconds that an answer may be late for whatever reason, above what it takes without clients: the machine is shared with other tests. */
const LATE = 1_000;

let place: Workplace;
let pod: string;

beforeAll(async () => {
  place = await Workplace.create();
  const containers = [{ name: "main", image: "host", command: ["sleep", "3000"] }];
  const spec = { terminationGracePeriodSeconds: 1, containers };
  await place.manifest("p.json", JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec }));
  await place.start();
  await until("the pod runs", async () => (await place.pod("p"))?.status.phase === "Running");
  pod = (await place.pod("p"))?.metadata.name ?? "";
}, 120_000);
afterAll(() => place.remove());

/** Milliseconds; of `work` the agent's event loop alone. */
interface Waited {
  readonly passed: number;
  readonly work: number;
}

/** The slowest answer to /version while something is done, and the one that the agent itself kept waiting longest. */
async function slowest(done: () => Promise<void>): Promise<Waited> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const worked = (): number => Number(readFileSync(`/proc/${place.pid}/schedstat`, "latin1").split(" ")[0]) / 1e6;
  let worst: Waited = { passed: 0, work: 0 };
  let over = false;
  const asking = (async () => {
    while (!over) {
      const [began, workedBefore] = [performance.now(), worked()];
      const asked = get({ socketPath: path.join(place.rootDir, "hooklet.sock"), path: "/version", agent });
      const [answer] = (await once(asked, "response")) as [NodeJS.ReadableStream];
      answer.resume();
      await once(answer, "end");
      worst = {
        passed: Math.max(worst.passed, performance.now() - began),
        work: Math.max(worst.work, worked() - workedBefore),
      };
      await pause(3);
    }
  })();
  await done();
  over = true;
  await asking;
  agent.destroy();
  return worst;
}

/** Clients whose commands were asked for. */
function clients(command: readonly string[]): Promise<Socket[]> {
  const query = [...command.map((word) => `command=${word}`), "output=true"].join("&");
  const lines = [
    `GET /exec/default/${pod}/main?${query} HTTP/1.1`,
    ...["Host: localhost", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
    ...["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: v5.channel.k8s.io", "", ""],
  ];
  return Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const socket = connect(path.join(place.rootDir, "hooklet.sock"));
      socket.on("error", () => undefined);
      await once(socket, "connect");
      socket.write(lines.join("\r\n"));
      await once(socket, "data");
      return socket;
    }),
  );
}

/** Of no other run of this test: its processes are known by them. */
const ownSeconds = (round: number): string => `${3_000 + round}.${process.pid}`;
const running = (seconds: string): number =>
  allPids().filter((pid) => commandOf(pid).join(" ") === `sleep ${seconds}`).length;

/** @param meanwhile what happens between the asking and the leaving */
async function crowd(seconds: string, meanwhile: () => Promise<void>): Promise<Waited> {
  const usual = await slowest(() => pause(2_000));
  let all: readonly Socket[] = [];
  const asked = await slowest(async () => {
    all = await clients(["sleep", seconds]);
    await meanwhile();
  });
  const left = await slowest(async () => {
    for (const socket of all) socket.destroy();
    await pause(1_000);
    await until("no command is left", async () => running(seconds) === 0);
  });
  return { passed: Math.max(asked.passed, left.passed) - usual.passed, work: left.work };
}

/** What other tests take of the machine is nothing that the agent could do better: the best of some rounds counts. */
async function best(rounds: readonly string[], meanwhile: (seconds: string) => Promise<void>): Promise<Waited> {
  const all: Waited[] = [];
  for (const seconds of rounds) all.push(await crowd(seconds, () => meanwhile(seconds)));
  return { passed: Math.min(...all.map(({ passed }) => passed)), work: Math.min(...all.map(({ work }) => work)) };
}

test("commands that all run end with their clients, and the agent's work for them keeps no answer waiting", async () => {
  const late = await best([1, 2, 3].map(ownSeconds), (seconds) =>
    until("all commands run", async () => running(seconds) === CLIENTS),
  );
  expect(late.work).toBeLessThanOrEqual(OWN_WORK);
  expect(late.passed).toBeLessThanOrEqual(LATE);
}, 300_000);

test("most commands of clients that leave before their turn are never started, and the agent's work for them keeps no answer waiting", async () => {
  const begun: number[] = [];
  const late = await best([4, 5, 6].map(ownSeconds), async (seconds) => {
    await pause(200);
    begun.push(running(seconds));
  });
  // In a test that came late to look, more have had their turn.
  expect(Math.min(...begun)).toBeLessThan(CLIENTS / 2);
  expect(late.work).toBeLessThanOrEqual(OWN_WORK);
  expect(late.passed).toBeLessThanOrEqual(LATE);
}, 300_000);
