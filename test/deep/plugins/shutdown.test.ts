/** Graceful node shutdown with a real systemd-logind, on a bus and in a mount namespace of its own: it powers nothing off. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until, Workplace } from "../../support/agent.js";
import { FakeSystemd } from "./fake-systemd.js";

const run = promisify(execFile);
const LOGIND = "/lib/systemd/systemd-logind";
const MANAGER = ["org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager"];
const programs = ["/usr/bin/dbus-daemon", "/usr/bin/busctl", "/usr/bin/systemd-inhibit", LOGIND];
const mayRun = process.platform === "linux" && process.getuid?.() === 0 && programs.every((one) => existsSync(one));

const BUS = (
  socket: string,
): string => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=${socket}</listen><auth>EXTERNAL</auth><policy context="default">
<allow user="*"/><allow own="*"/><allow send_type="method_call"/><allow send_type="signal"/>
<allow send_requested_reply="true" send_type="method_return"/><allow send_requested_reply="true" send_type="error"/>
<allow receive_type="method_call"/><allow receive_type="method_return"/><allow receive_type="error"/>
<allow receive_type="signal"/></policy></busconfig>`;

const pod = (name: string, more = ""): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  ${more}
  terminationGracePeriodSeconds: 5
  containers:
    - { name: main, image: host, command: [sh, -c, 'trap "sleep 1; exit 0" TERM; while :; do sleep 0.1; done'] }
`;

describe("a machine that goes down", () => {
  if (!mayRun) {
    test.skip("needs root, a D-Bus daemon and systemd-logind", () => undefined);
    return;
  }
  let folder: string;
  let place: Workplace;
  let systemd: FakeSystemd;
  const children: ChildProcess[] = [];
  const env = () => ({ ...process.env, DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${path.join(folder, "bus")}` });
  const busctl = async (...words: readonly string[]): Promise<string> =>
    (await run("busctl", ["--system", ...words], { env: env() })).stdout.trim();
  const locks = async (): Promise<number> =>
    Number(/ (\d+)/.exec(await busctl("call", ...MANAGER, "ListInhibitors"))?.[1]);

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "hooklet-logind-"));
    const socket = path.join(folder, "bus");
    await writeFile(path.join(folder, "bus.conf"), BUS(socket));
    const start = (program: string, ...words: readonly string[]): void =>
      void children.push(spawn(program, words, { stdio: "ignore", env: env() }));
    start("dbus-daemon", `--config-file=${folder}/bus.conf`, "--nofork", "--nopidfile");
    await until("the bus is there", async () => existsSync(socket));
    systemd = await FakeSystemd.on(socket);
    const own = "mount -t tmpfs tmpfs /run/systemd && mkdir -p /run/systemd/system /run/systemd/logind.conf.d";
    const setting = "printf '[Login]\\nInhibitDelayMaxSec=30\\n' > /run/systemd/logind.conf.d/test.conf";
    start("unshare", "-m", "--propagation", "private", "sh", "-c", `${own} && ${setting} && exec ${LOGIND}`);
    await until("logind answers", () =>
      busctl("get-property", ...MANAGER, "InhibitDelayMaxUSec").then(
        (answer) => answer === "t 30000000",
        () => false,
      ),
    );
    place = await Workplace.create();
    place.env = { DBUS_SYSTEM_BUS_ADDRESS: env().DBUS_SYSTEM_BUS_ADDRESS };
    const rc = {
      node: { evictionHard: {} },
      plugins: [["shutdown", { shutdownGracePeriod: "20s", shutdownGracePeriodCriticalPods: "8s" }]],
    };
    await writeFile(path.join(place.folder, "rc.json"), JSON.stringify(rc));
    await place.manifest("web.yaml", pod("web"));
    await place.manifest("dns.yaml", pod("dns", "priorityClassName: system-node-critical\n  priority: 2000001000"));
  }, 60_000);

  afterAll(async () => {
    await place?.remove();
    systemd?.end();
    for (const child of children.reverse()) child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  const start = () => place.start("--config", path.join(place.folder, "rc.json"), "--node-name", "node");

  test("is held up by an agent, and no longer by one that was killed", async () => {
    await start();
    await until("the lock is held", async () => (await locks()) === 1);
    expect(await busctl("call", ...MANAGER, "ListInhibitors")).toContain(
      '"shutdown" "kubelet" "Kubelet needs time to handle node shutdown" "delay"',
    );
    await place.kill();
    await until("the lock is gone", async () => (await locks()) === 0, 5);
    await start();
    await until("the lock is held again", async () => (await locks()) === 1);
  }, 60_000);

  test("a signal that is not logind's stops no pod", async () => {
    const running = async (): Promise<number> =>
      (await place.pods()).filter(({ status }) => status.phase === "Running").length;
    await until("both pods run", async () => (await running()) === 2);
    await busctl(
      "emit",
      "/org/freedesktop/login1",
      "org.freedesktop.login1.Manager",
      "PrepareForShutdown",
      "b",
      "true",
    );
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await running()).toBe(2);
  }, 60_000);

  test("goes down once all pods have ended, critical ones last; each has its reason", async () => {
    const began = Date.now();
    await busctl("call", ...MANAGER, "PowerOff", "b", "false");
    await until("the machine may go down", async () => systemd.started.includes("poweroff.target"), 40);
    const took = Date.now() - began;
    const pods = await place.pods();
    for (const name of ["web", "dns"]) {
      const status = pods.find(({ metadata }) => metadata.name.startsWith(name))?.status;
      expect(status).toMatchObject({
        phase: "Failed",
        reason: "Terminated",
        message: "Pod was terminated in response to imminent node shutdown.",
      });
    }
    const ended = (name: string): number => {
      const status = pods.find(({ metadata }) => metadata.name.startsWith(name))?.status.containerStatuses?.[0];
      return Date.parse((status?.state.terminated as { finishedAt?: string } | undefined)?.finishedAt ?? "");
    };
    expect(ended("web")).toBeLessThanOrEqual(ended("dns"));
    // Both took a second to stop, one after the other; no pod waited for the whole period.
    expect(took).toBeGreaterThan(1_900);
    expect(took).toBeLessThan(20_000);
    process.stderr.write(`    held up for ${took} ms\n`);
    const { stdout } = await place.hooklet("events");
    expect(stdout).toContain("Shutdown manager detected shutdown event");
  }, 90_000);
});
