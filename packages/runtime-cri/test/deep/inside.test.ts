/** What pods see and what people reach of them: users, network, logs, exec, port-forward. */
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import { networkInterfaces } from "node:os";
import path from "node:path";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Containerd, describeOnContainerd } from "../containerd.js";
import { CriNode, isReady } from "../node.js";
import { pod } from "../pods.js";

describeOnContainerd("inside of pods on containerd", () => {
  let containerd: Containerd;
  let node: CriNode;

  beforeAll(async () => {
    containerd = await Containerd.start("inside");
    node = await CriNode.create(containerd.endpoint, { node: { containerLogMaxSize: "20Ki" } });
    await node.start();
  }, 240_000);

  afterAll(async () => {
    await node?.remove();
    await containerd?.stop();
  }, 240_000);

  const statusOf = (name: string) => node.pod(name)?.status?.containerStatuses?.[0];
  const logOf = (name: string): Promise<string> =>
    node.api.log({ name }, undefined, { previous: false }).then(({ path: file }) => file);
  const output = async (name: string): Promise<string> =>
    (await readFile(await logOf(name), "utf8")).replaceAll(/^\S+ std(out|err) F /gm, "");

  test("what a pod asks for is what its process has", async () => {
    const script =
      "id -u; id -g; cat /proc/self/status | grep -E '^(NoNewPrivs|CapEff|Seccomp):'; touch /x 2>/dev/null || echo readonly; hostname; grep -E 'own|foo' /etc/hosts; cat /etc/resolv.conf";
    const securityContext = {
      runAsUser: 1234,
      runAsGroup: 4321,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
      seccompProfile: { type: "RuntimeDefault" },
    };
    const spec = {
      restartPolicy: "Never",
      hostname: "own",
      hostAliases: [{ ip: "192.0.2.7", hostnames: ["foo.example"] }],
      dnsPolicy: "None",
      dnsConfig: { nameservers: ["192.0.2.53"], searches: ["ns.example"], options: [{ name: "ndots", value: "2" }] },
    };
    await node.manifest("asks.json", pod("asks", [{ script, securityContext }], spec));
    await node.until("its end", () => statusOf("asks")?.state?.terminated !== undefined);
    const lines = await output("asks");
    for (const line of [
      "1234\n4321\n",
      "NoNewPrivs:\t1",
      "CapEff:\t0000000000000000",
      "Seccomp:\t2",
      "readonly\n",
      "\nown\n",
      "192.0.2.7\tfoo.example",
      "nameserver 192.0.2.53",
      "search ns.example",
      "options ndots:2",
    ]) {
      expect(lines).toContain(line);
    }
  }, 200_000);

  test("an image's own user is obeyed, by number and by name", async () => {
    for (const user of ["1000", "name"]) {
      await node.manifest(
        `user-${user}.json`,
        pod(`user-${user}`, [{ image: `hooklet.test/user:${user}`, script: "id -u" }], { restartPolicy: "Never" }),
      );
    }
    await node.until("their end", () =>
      ["1000", "name"].every((user) => statusOf(`user-${user}`)?.state?.terminated !== undefined),
    );
    expect(await output("user-1000")).toBe("1000\n");
    expect(await output("user-name")).toBe("1001\n");
  }, 200_000);

  test("a host port leads into the pod", async () => {
    const web = {
      name: "main",
      image: "nginx:1.14.2",
      imagePullPolicy: "IfNotPresent",
      ports: [{ containerPort: 80, hostPort: 18_480 }],
    };
    await node.manifest("web.json", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web" },
      spec: { terminationGracePeriodSeconds: 1, containers: [web] },
    });
    await node.ready("web");
    const { podIP } = node.pod("web")?.status ?? {};
    expect(podIP).toMatch(/^10\./);
    await node.until("the pod answers", async () =>
      (await get(`http://${podIP}/`).catch(() => "")).includes("Welcome to nginx"),
    );
    const address = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === "IPv4" && !one.internal);
    await node.until("the host port answers", async () =>
      (await get(`http://${address?.address}:18480/`).catch(() => "")).includes("Welcome to nginx"),
    );
  }, 200_000);

  test("an exit is known by its event, not by the next relist", async () => {
    const delays: number[] = [];
    for (const name of ["q0", "q1", "q2", "q3", "q4"]) {
      await node.manifest(`${name}.json`, pod(name, [{ script: "sleep 0.5" }], { restartPolicy: "Never" }));
      const seen = await new Promise<number>((resolve) => {
        const stop = node.api.watchPods(() => {
          if (statusOf(name)?.state?.terminated === undefined) return;
          stop();
          resolve(Date.now());
        });
      });
      const [one] = await node.runtime.listContainers({ podUid: node.pod(name)?.metadata.uid ?? "" });
      const { finishedAt } = await node.runtime.containerStatus(one?.id ?? "");
      delays.push(seen - Number(finishedAt / 1_000_000n));
    }
    // 100 ms is what it may take on a quiet machine; the tests share theirs. The next look is taken after 300 s.
    expect(delays.toSorted((a, b) => a - b)[2]).toBeLessThan(10_000);
  }, 200_000);

  test("a log that has grown is rotated, and nothing of it is lost", async () => {
    const script = "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; sleep 3600 & wait";
    await node.manifest("chatty.json", pod("chatty", [{ script }]));
    await node.ready("chatty");
    const file = await logOf("chatty");
    const files = async (): Promise<readonly string[]> => (await readdir(path.dirname(file))).sort();
    await node.until("its rotation", async () => (await files()).length > 1);
    // It may be rotated while the last lines are under way.
    let lines: readonly string[] = [];
    await node.until("all of its lines", async () => {
      const texts = (await files()).map((name) =>
        readFile(path.join(path.dirname(file), name), "utf8").catch(() => ""),
      );
      lines = (await Promise.all(texts)).join("").match(/line \d+/g) ?? [];
      return lines.length >= 3000;
    });
    expect(new Set(lines).size).toBe(3000);
    expect(lines).toHaveLength(3000);
    expect((await files())[1]).toMatch(/^0\.log\.\d{8}-\d{6}$/);
  }, 200_000);

  test("exec -it has a terminal, input and an exit code", async () => {
    await node.manifest("exec.json", pod("exec"));
    await node.ready("exec");
    let out = "";
    const session = await node.api.exec(
      { name: "exec" },
      undefined,
      { command: ["sh", "-c", "read x; echo got $x; tty; exit 7"], tty: true, stdin: true },
      (_, data) => {
        out += data.toString();
      },
    );
    session.resize(100, 40);
    session.write(Buffer.from("words\n"));
    expect(await session.exitCode).toBe(7);
    expect(out).toMatch(/got words\r\n\/dev\/pts\/\d/);
  }, 200_000);

  test("a connection into the pod carries bytes both ways; a port without a listener is an error", async () => {
    await node.ready("web");
    const connection = await node.api.portForward({ name: "web" }, 80);
    connection.end("GET / HTTP/1.0\r\n\r\n");
    expect(await text(connection)).toContain("Welcome to nginx");
    const refused = await node.api.portForward({ name: "web" }, 81);
    await expect(text(refused)).rejects.toMatchObject({ code: "unavailable", message: /connection refused/ });
  }, 200_000);

  test("a slow reader slows a command down, and loses nothing", async () => {
    let bytes = 0;
    const command = ["sh", "-c", "head -c 30000000 /dev/zero"];
    const session = await node.api.exec(
      { name: "exec" },
      undefined,
      { command, tty: false, stdin: false },
      (_, data) => {
        bytes += data.length;
        session?.pause?.();
        setTimeout(() => session?.resume?.(), 1);
      },
    );
    expect(await session.exitCode).toBe(0);
    expect(bytes).toBe(30_000_000);
  }, 120_000);

  test("a full log disk stops neither the agent nor other pods, and the pod starts once there is space", async () => {
    await node.manifest("before.json", pod("before"));
    await node.ready("before");
    await mkdir(node.logs, { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k,nr_inodes=16", "tmpfs", node.logs]);
    try {
      const ballast = Array.from({ length: 32 }, (_, i) => path.join(node.logs, `ballast-${i}`));
      for (const file of ballast) await writeFile(file, Buffer.alloc(8192)).catch(() => undefined);
      await node.manifest("full.json", pod("full"));
      const reported = () => node.api.events().some(({ message }) => /no space left on device/i.test(message ?? ""));
      await node.until("the trouble is told", reported, 60);
      expect(isReady(node.pod("before"))).toBe(true);
      expect(await node.api.health()).toMatchObject({ ok: true });
      for (const file of ballast) await rm(file, { force: true });
      await node.until("the pod runs", () => isReady(node.pod("full")), 120);
      await node.removeManifest("full.json");
      await node.until("it is gone", () => node.pod("full") === undefined);
    } finally {
      execFileSync("umount", ["-l", node.logs]);
    }
  }, 240_000);
});

function get(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { timeout: 2000 }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve(text));
    });
    request.on("timeout", () => request.destroy(new Error("no answer")));
    request.on("error", reject);
  });
}

async function text(stream: Duplex): Promise<string> {
  let all = "";
  for await (const chunk of stream) all += String(chunk);
  return all;
}
