/** Pods on a real containerd, from manifest to gone. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Containerd, describeOnContainerd } from "./containerd.js";
import { CriNode } from "./node.js";
import { container, pod } from "./pods.js";

describeOnContainerd("the life of pods on containerd", () => {
  let containerd: Containerd;
  let node: CriNode;

  beforeAll(async () => {
    containerd = await Containerd.start("life");
    node = await CriNode.create(containerd.endpoint, { node: { containerLogMaxSize: "20Ki" } });
    await node.start();
  }, 90_000);

  afterAll(async () => {
    await node?.remove();
    await containerd?.stop();
  }, 90_000);

  const statusOf = (name: string) => node.pod(name)?.status?.containerStatuses?.[0];
  const log = (name: string, previous = false): Promise<string> =>
    node.api.log({ name }, undefined, { previous }).then(({ path: file }) => readFile(file, "utf8"));
  const output = async (name: string): Promise<string> => (await log(name)).replaceAll(/^\S+ std(out|err) F /gm, "");

  test("init containers run one after the other, then a sidecar, then the main container", async () => {
    const spec = {
      volumes: [{ name: "v", emptyDir: {} }],
      initContainers: [
        container({ name: "one", script: "echo one >> /v/o", volumeMounts: [{ name: "v", mountPath: "/v" }] }),
        container({ name: "side", restartPolicy: "Always" }),
        container({ name: "two", script: "echo two >> /v/o", volumeMounts: [{ name: "v", mountPath: "/v" }] }),
      ],
    };
    const main = { script: "cat /v/o; sleep 3600 & wait", volumeMounts: [{ name: "v", mountPath: "/v" }] };
    await node.manifest("order.json", pod("order", [main], spec));
    await node.ready("order");
    await node.until("its output", async () => (await output("order")) === "one\ntwo\n");
    expect(
      node.pod("order")?.status?.initContainerStatuses?.map(({ name, state }) => [name, Object.keys(state ?? {})[0]]),
    ).toEqual([
      ["one", "terminated"],
      ["side", "running"],
      ["two", "terminated"],
    ]);
  }, 60_000);

  test.each([
    { name: "completed", script: "exit 0", exitCode: 0, reason: "Completed" },
    { name: "error", script: "exit 3", exitCode: 3, reason: "Error" },
    { name: "killed", script: "kill -9 $$", exitCode: 137, reason: "Error" },
  ])(
    "a container that ends with $reason ($exitCode)",
    async ({ name, script, exitCode, reason }) => {
      await node.manifest(
        `${name}.json`,
        pod(name, [{ script: `echo words > /dev/termination-log; ${script}` }], { restartPolicy: "Never" }),
      );
      await node.until("its end", () => statusOf(name)?.state?.terminated !== undefined);
      expect(statusOf(name)?.state?.terminated).toMatchObject({ exitCode, reason, message: "words\n" });
    },
    60_000,
  );

  test("a command that does not exist: StartError, 128", async () => {
    const missing = {
      ...(pod("missing", [{}], { restartPolicy: "Never" }) as { spec: { containers: { command: string[] }[] } }),
    };
    for (const one of missing.spec.containers) one.command = ["/no/such/command"];
    await node.manifest("missing.json", missing);
    await node.until("its end", () => statusOf("missing")?.state?.terminated !== undefined);
    expect(statusOf("missing")?.state?.terminated).toMatchObject({ exitCode: 128, reason: "StartError" });
  }, 60_000);

  test("a container that crashes is restarted, and its previous log is kept", async () => {
    await node.manifest("crash.json", pod("crash", [{ script: "echo life $(date +%N); sleep 0.2; exit 4" }]));
    await node.until("a restart", () => (statusOf("crash")?.restartCount ?? 0) > 0);
    await node.until("back-off", () => statusOf("crash")?.state?.waiting?.reason === "CrashLoopBackOff");
    expect(statusOf("crash")?.lastState?.terminated).toMatchObject({ exitCode: 4, reason: "Error" });
    expect(await log("crash", true)).toMatch(/stdout F life/);
  }, 60_000);

  test("an image that is nowhere: ErrImagePull, then ImagePullBackOff", async () => {
    await node.manifest("nowhere.json", pod("nowhere", [{ image: "registry.invalid/none:1" }]));
    await node.until("the back-off", () => statusOf("nowhere")?.state?.waiting?.reason === "ImagePullBackOff", 60);
    const reasons = node.api.events().filter(({ involvedObject }) => involvedObject.name?.startsWith("nowhere"));
    expect(reasons.map(({ reason, message }) => [reason, message])).toEqual(
      expect.arrayContaining([
        ["Failed", "Error: ErrImagePull"],
        ["BackOff", 'Back-off pulling image "registry.invalid/none:1"'],
        ["Failed", expect.stringMatching(/^Failed to pull image "registry.invalid\/none:1": rpc error: code = /)],
      ]),
    );
  }, 90_000);

  test("an image with pull policy Never that is missing, and a name that is none", async () => {
    await node.manifest("never.json", pod("never", [{ image: "none:1", imagePullPolicy: "Never" }]));
    await node.manifest("wrong.json", pod("wrong", [{ image: "No Image" }]));
    await node.until(
      "both are told",
      () =>
        statusOf("never")?.state?.waiting?.reason === "ErrImageNeverPull" &&
        statusOf("wrong")?.state?.waiting?.reason === "InvalidImageName",
    );
  }, 60_000);

  test("a container that ignores TERM is killed when its grace is over", async () => {
    await node.manifest("deaf.json", pod("deaf", [{ script: 'trap "" TERM; while :; do sleep 1; done' }]));
    await node.ready("deaf");
    const began = performance.now();
    await node.removeManifest("deaf.json");
    await node.until("it is gone", () => node.pod("deaf") === undefined);
    expect(performance.now() - began).toBeGreaterThan(1_900);
    expect(performance.now() - began).toBeLessThan(6_000);
  }, 60_000);

  test("hundreds of children go with their container", async () => {
    const script = `for i in $(seq 300); do sleep 7654 & done; ${"wait"}`;
    await node.manifest("forks.json", pod("forks", [{ script }], { terminationGracePeriodSeconds: 1 }));
    await node.ready("forks");
    await node.until("its children run", async () => (await processes("sleep\u00007654")) >= 300);
    await node.removeManifest("forks.json");
    await node.until("it is gone", () => node.pod("forks") === undefined);
    expect(await processes("sleep\u00007654")).toBe(0);
  }, 60_000);

  test("a pod of twenty containers", async () => {
    await node.manifest(
      "twenty.json",
      pod(
        "twenty",
        Array.from({ length: 20 }, (_, i) => ({ name: `c${i}` })),
      ),
    );
    await node.ready("twenty");
    expect(node.pod("twenty")?.status?.containerStatuses).toHaveLength(20);
    await node.removeManifest("twenty.json");
    await node.until("it is gone", () => node.pod("twenty") === undefined);
  }, 90_000);

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
  }, 60_000);

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
  }, 60_000);

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
    const address = Object.values((await import("node:os")).networkInterfaces())
      .flat()
      .find((one) => one?.family === "IPv4" && !one.internal);
    await node.until("the host port answers", async () =>
      (await get(`http://${address?.address}:18480/`).catch(() => "")).includes("Welcome to nginx"),
    );
  }, 60_000);

  test("an exit is known within 100 ms", async () => {
    await node.manifest("quick.json", pod("quick", [{ script: "sleep 1; exit 0" }], { restartPolicy: "Never" }));
    let seen = 0;
    const stop = node.api.watchPods(() => {
      if (seen === 0 && statusOf("quick")?.state?.terminated !== undefined) seen = Date.now();
    });
    await node.until("its end", () => seen > 0);
    stop();
    const { id } = (await node.runtime.listContainers({ podUid: node.pod("quick")?.metadata.uid ?? "" }))[0] ?? {
      id: "",
    };
    const { finishedAt } = await node.runtime.containerStatus(id);
    expect(seen - Number(finishedAt / 1_000_000n)).toBeLessThan(100);
  }, 60_000);

  test("a log that has grown is rotated, and nothing of it is lost", async () => {
    const script = "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; sleep 3600 & wait";
    await node.manifest("chatty.json", pod("chatty", [{ script }]));
    await node.ready("chatty");
    const file = (await node.api.log({ name: "chatty" }, undefined, { previous: false })).path;
    await node.until("its rotation", async () => (await readdir(path.dirname(file))).length > 1);
    const names = (await readdir(path.dirname(file))).sort();
    const texts = await Promise.all(names.map((name) => readFile(path.join(path.dirname(file), name), "utf8")));
    expect(texts.join("").match(/line \d+/g)).toHaveLength(3000);
    expect(names[1]).toMatch(/^0\.log\.\d{8}-\d{6}$/);
  }, 60_000);

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
  }, 60_000);

  test("a full log disk stops neither the agent nor the other pods, and the pod starts once there is room", async () => {
    const { logs } = node;
    const ballast = path.join(logs, "ballast");
    await mkdir(logs, { recursive: true });
    const { execFileSync } = await import("node:child_process");
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", logs]);
    try {
      await writeFile(ballast, Buffer.alloc(1024 * 1024)).catch(() => undefined);
      await node.manifest("full.json", pod("full"));
      await node.until(
        "the trouble is told",
        () => node.api.events().some(({ message }) => /no space left on device/.test(message)),
        60,
      );
      expect(await node.api.health()).toMatchObject({ ok: true });
      await (await import("node:fs/promises")).rm(ballast);
      await node.until("the pod runs", () => statusOf("full")?.state?.running !== undefined, 60);
      await node.removeManifest("full.json");
      await node.until("it is gone", () => node.pod("full") === undefined);
    } finally {
      execFileSync("umount", ["-l", logs]);
    }
  }, 180_000);
});

async function processes(command: string): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return commands.filter((one) => one.startsWith(command)).length;
}

function get(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { timeout: 2000 }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve(text));
    });
    request.on("error", reject);
  });
}
