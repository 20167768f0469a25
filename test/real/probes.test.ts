/** Probes on real containers: a pod's life with all three kinds and three handlers. */
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort, until, type Workplace } from "../support/agent.js";
import { condition, place, status, timeoutSeconds } from "../support/probed-node.js";
import { type RealRuntime, runtimes } from "../support/runtimes.js";

const LIMIT = 300_000;

/** Answers as busybox httpd does with the CGI script. */
const SERVE = `
const { execFileSync } = require("node:child_process");
require("node:http")
  .createServer((request, response) => {
    const said = execFileSync("/state/www" + request.url, { encoding: "utf8" });
    response.writeHead(Number(/^Status: (\\d+)/.exec(said)[1])).end(said.split("\\r\\n\\r\\n")[1]);
  })
  .listen(Number(process.argv[2]));
`;

async function warnings(made: Workplace, container: string): Promise<readonly string[]> {
  const { stdout } = await made.hooklet("events", "-o", "json");
  return stdout
    .split("\n")
    .filter((line) => line.includes(`{${container}}`))
    .map((line) => JSON.parse(line) as { type: string; reason: string; message: string })
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

describe.each(runtimes.filter(({ lacking }) => lacking === undefined))("on $name, a web server", (offer) => {
  let runtime: RealRuntime;
  let node: Workplace;
  let port: number;
  let state: string;

  /** What the server answers to the readiness probe; it also notes when it was asked. */
  async function answer(code: string): Promise<void> {
    const script = `#!/bin/sh\ncut -d" " -f1 /proc/uptime >> /state/asked\nprintf 'Status: ${code}\\r\\n\\r\\nsaid ${code}\\n'\n`;
    await writeFile(path.join(state, "answer.new"), script);
    await chmod(path.join(state, "answer.new"), 0o755);
    await rename(path.join(state, "answer.new"), path.join(state, "www/cgi-bin/ready"));
  }

  beforeAll(async () => {
    runtime = await offer.start("probe");
    node = await place(runtime);
    port = await freePort();
    state = path.join(node.folder, "state");
    await mkdir(path.join(state, "www/cgi-bin"), { recursive: true });
    await answer("200 OK");
    // The machine itself may have no busybox; the image has no Node.
    const web =
      runtime.name === "process"
        ? `"${process.execPath}" /state/serve.cjs ${port}`
        : `busybox httpd -f -p ${port} -h /state/www`;
    await writeFile(path.join(state, "serve.cjs"), SERVE);
    const serve = `trap 'exit 0' TERM; ${web} & web=$!
      while [ ! -e /state/dead ]; do sleep 0.1; done; rm /state/dead; kill $web; while :; do sleep 0.1; done`;
    await node.manifest(
      "web.json",
      JSON.stringify({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "web" },
        spec: {
          terminationGracePeriodSeconds: 2,
          volumes: [{ name: "state", hostPath: { path: state } }],
          containers: [
            {
              name: "main",
              image: runtime.image,
              imagePullPolicy: "IfNotPresent",
              command: ["sh", "-c", serve],
              volumeMounts: [{ name: "state", mountPath: "/state" }],
              startupProbe: {
                exec: { command: ["test", "-e", "/state/up"] },
                periodSeconds: 1,
                timeoutSeconds,
                failureThreshold: 300,
              },
              readinessProbe: {
                httpGet: { path: "/cgi-bin/ready", port },
                periodSeconds: 1,
                timeoutSeconds,
                failureThreshold: 1,
              },
              livenessProbe: { tcpSocket: { port }, periodSeconds: 1, timeoutSeconds, failureThreshold: 2 },
            },
          ],
        },
      }),
    );
    await until("it runs", async () => status(await node.pod("web"))?.state.running !== undefined, 120);
  }, LIMIT);

  afterAll(async () => {
    await node.remove();
    await runtime.stop();
  }, LIMIT);

  const becomes = (ready: boolean) =>
    until(`ready is ${ready}`, async () => status(await node.pod("web"))?.ready === ready);

  test(
    "waits on its startup probe, is ready after that, and its readiness is asked for every second",
    async () => {
      await until("a startup probe failed", async () =>
        (await warnings(node, "main")).some((line) => line.startsWith("Warning Unhealthy: Startup probe failed")),
      );
      const early = await node.pod("web");
      expect([status(early)?.ready, condition(early, "Ready"), condition(early, "ContainersReady")]).toEqual([
        false,
        "False",
        "False",
      ]);
      await expect(readFile(path.join(state, "asked"))).rejects.toThrow("ENOENT");
      await writeFile(path.join(state, "up"), "");
      await becomes(true);
      const late = await node.pod("web");
      expect([condition(late, "Ready"), condition(late, "ContainersReady")]).toEqual(["True", "True"]);

      // Of the last seven, once the machine has time for them.
      const steady = async (): Promise<boolean> => {
        const times = (await asked()).slice(-7);
        const off = times.slice(1).map((at, i) => Math.abs(at - (times[i] ?? 0) - 1));
        return off.length === 6 && (off.sort((a, b) => a - b)[3] ?? 1) < 0.4;
      };
      await until("they come every second", steady, 150);
    },
    LIMIT,
  );

  async function asked(): Promise<readonly number[]> {
    const text = await readFile(path.join(state, "asked"), "utf8");
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map(Number);
  }

  test(
    "that says 503 is not ready, and ready when it says 200 again; it is not restarted for that",
    async () => {
      await answer("503 Service Unavailable");
      await becomes(false);
      expect(condition(await node.pod("web"), "Ready")).toBe("False");
      const explained = await node.hooklet("explain", "pod", "web-node1");
      expect(explained.stdout).toMatch(
        /not ready: 1 failure of the readiness probe in a row \(failureThreshold 1\)[\s\S]*HTTP probe failed with statuscode: 503/,
      );
      await answer("200 OK");
      await becomes(true);
      expect(status(await node.pod("web"))?.restartCount).toBe(0);
    },
    LIMIT,
  );

  test(
    "is shown with its three probes",
    async () => {
      const { stdout } = await node.hooklet("get", "probes", "-o", "json");
      const rows = JSON.parse(stdout) as readonly Record<string, unknown>[];
      expect(rows.map(({ kind, handler, result, period }) => [kind, handler, result, period])).toEqual([
        ["liveness", "tcp", "success", "1s"],
        ["readiness", "http", "success", "1s"],
        ["startup", "exec", "success", "1s"],
      ]);
      const wide = await node.hooklet("get", "probes", "-o", "wide");
      expect(wide.stdout).toMatch(/^POD +CONTAINER +KIND .* MEAN +P99/m);
      expect(wide.stdout).toMatch(/^web-node1 +main +startup +exec .*on hold/m);
    },
    LIMIT,
  );

  test(
    "whose port is dead is restarted, with the kubelet's event, and starts up again",
    async () => {
      await rm(path.join(state, "up"));
      const first = status(await node.pod("web"))?.containerID;
      await writeFile(path.join(state, "dead"), "");
      await until("it was restarted", async () => {
        const now = status(await node.pod("web"));
        return now?.restartCount === 1 && now.state.running !== undefined;
      });
      expect(status(await node.pod("web"))).toMatchObject({ ready: false });
      expect(status(await node.pod("web"))?.containerID).not.toBe(first);
      const lines = await warnings(node, "main");
      expect(lines.filter((line) => line.includes("Liveness"))[0]).toMatch(
        new RegExp(`^Warning Unhealthy: Liveness probe failed: dial tcp [0-9.]+:${port}: connect: connection refused$`),
      );
      expect(lines).toContain("Normal Killing: Container main failed liveness probe, will be restarted");
      await writeFile(path.join(state, "up"), "");
      await becomes(true);
    },
    LIMIT,
  );
});
