/** What people do with kubectl reaches a pod on hooklet as it does on a kubelet. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort, until } from "../../support/agent.js";
import { Going, kubectl, Place, pod, there } from "./cluster.js";
import { HookletNode } from "./nodes.js";

const COUNT = 'i=0; while :; do i=$((i + 1)); echo "line $i"; sleep 0.2; done';
/** Says what it hears. */
const ECHO = 'echo ready; while read -r line; do echo "heard $line"; done';
const WEB = "mkdir /www && echo it works > /www/index.html && exec httpd -f -p 8080 -h /www";

/** kubectl on a terminal of its own. */
function onTerminal(...words: readonly string[]): Going {
  const command = [there.kubectl, "--kubeconfig", there.kubeconfig, ...words];
  return Going.program("script", "-qec", command.map((word) => `'${word}'`).join(" "), "/dev/null");
}

describe("kubectl", () => {
  let node: HookletNode;
  let place: Place;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "hooklet-kubectl-"));
    node = await HookletNode.create("worker1");
    await node.start();
    place = await Place.create("kubectl");
    await place.apply(
      pod("counts", { command: ["sh", "-c", COUNT] }),
      pod("echo", { command: ["sh", "-c", ECHO], stdin: true }),
      pod("web", { command: ["sh", "-c", WEB] }),
      pod("crashes", { command: ["sh", "-c", "echo started; sleep 1; exit 1"] }),
    );
    await place.kubectl("wait", "--for=condition=Ready", "pod/counts", "pod/echo", "pod/web", "--timeout=60s");
  });

  afterAll(async () => {
    await place?.remove().finally(() => node?.remove());
    rmSync(folder, { recursive: true, force: true });
  }, 240_000);

  test("logs -f follows, --tail and --timestamps are heeded", async () => {
    const follows = Going.kubectl("logs", "-n", place.namespace, "-f", "counts", "--tail=1", "--timestamps");
    await follows.hears(/^\d{4}-\d\d-\d\dT[\d:.]+Z line \d+\n(?:.*\n){4}/m);
    await follows.end();
  });

  test("logs --previous shows the instance before", async () => {
    await until("it has been started again", async () => {
      const [status] = (await place.pod("crashes"))?.status.containerStatuses ?? [];
      return (status?.restartCount ?? 0) > 0;
    });
    expect(await place.kubectl("logs", "crashes", "--previous")).toBe("started\n");
  });

  test("exec gives output and the exit code, and takes input", async () => {
    const counted = Going.kubectl("exec", "-i", "-n", place.namespace, "counts", "--", "wc", "-c");
    counted.child.stdin?.end("five5");
    expect([await counted.ended, counted.output.trim()]).toEqual([0, "5"]);
    const failed = Going.kubectl("exec", "-n", place.namespace, "counts", "--", "sh", "-c", "exit 7");
    expect(await failed.ended).toBe(7);
  });

  test("exec -it has a terminal", async () => {
    const shell = onTerminal("exec", "-it", "-n", place.namespace, "counts", "--", "sh");
    await shell.hears("#");
    shell.say("tty && echo six times seven is $((6 * 7))\n");
    await shell.hears(/\/dev\/(pts\/\d+|console)[\s\S]*six times seven is 42/);
    shell.say("exit 5\n");
    expect(await shell.ended).toBe(5);
  });

  test("attach speaks to the process itself", async () => {
    const attached = Going.kubectl("attach", "-i", "-n", place.namespace, "echo");
    await until("it is heard", async () => {
      attached.say("me\n");
      return attached.output.includes("heard me");
    });
    await attached.end();
  });

  test("cp carries files both ways", async () => {
    const [there, back] = [path.join(folder, "there"), path.join(folder, "back")];
    const content = "0123456789abcdef\n".repeat(100_000);
    writeFileSync(there, content);
    await place.kubectl("cp", there, "counts:/tmp/file");
    await place.kubectl("cp", "counts:/tmp/file", back);
    expect(readFileSync(back, "utf8") === content).toBe(true);
  });

  test("port-forward reaches a port of the pod", async () => {
    const port = await freePort();
    const forward = Going.kubectl("port-forward", "-n", place.namespace, "web", `${port}:8080`);
    await forward.hears("Forwarding from 127.0.0.1");
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => (await fetch(`http://127.0.0.1:${port}/index.html`)).text()),
    );
    await forward.end();
    expect(answers).toEqual(Array(5).fill("it works\n"));
  });

  test("debug puts a container beside the others, in the target's process namespace", async () => {
    const words = [
      "--image=hk.local/busybox:1",
      "--image-pull-policy=IfNotPresent",
      "--target=main",
      "--profile=general",
    ];
    const debug = Going.kubectl("debug", "-n", place.namespace, "-i", "web", ...words, "--", "ps");
    expect(await debug.ended).toBe(0);
    await debug.hears("httpd -f -p 8080");
  });

  test("top: what metrics-server reads of a node names every container with processor and memory", async () => {
    const read = () => kubectl("get", "--raw", "/api/v1/nodes/worker1/proxy/metrics/resource");
    const series = [
      "container_cpu_usage_seconds_total",
      "container_memory_working_set_bytes",
      "container_start_time_seconds",
    ];
    await until("the statistics are there", async () => {
      const text = await read();
      return series.every((name) =>
        new RegExp(`^${name}\\{container="main",namespace="kubectl",pod="web"\\} \\S+`, "m").test(text),
      );
    });
    expect(await read()).toMatch(/^node_memory_working_set_bytes \S+/m);
    const summary = JSON.parse(await kubectl("get", "--raw", "/api/v1/nodes/worker1/proxy/stats/summary")) as {
      pods: readonly { podRef: { name: string; namespace: string } }[];
    };
    const names = summary.pods.filter(({ podRef }) => podRef.namespace === "kubectl").map(({ podRef }) => podRef.name);
    expect(names.sort()).toEqual(["counts", "crashes", "echo", "web"]);
  });
});
