// What strangers tried on the agent, each as they would: by manifests, by files, from containers and as another user of the machine.
// An attack returns what it got; nothing when it got nothing. `withoutHooklet`: the same attack on the same runtime, without an agent.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chownSync,
  copyFileSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { connect, createServer as createSocket } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { holdsWithin } from "../machine.mjs";
import { as, entries, findAs, NOBODY, pod, tookPlace } from "./agent.mjs";

const WAITS = "while :; do sleep 1; done";
const hostPath = (name, at) => ({ name, hostPath: { path: at } });
const runs = (agent, name) => agent.pod(name)?.status?.phase === "Running";

export const ATTACKS = [
  {
    number: 1,
    name: "a probe whose header has a line break",
    async attack(agent) {
      tookPlace(await agent.start(), agent.output);
      const livenessProbe = {
        httpGet: { port: 1, httpHeaders: [{ name: "X-A", value: "a\nb" }] },
        periodSeconds: 1,
      };
      agent.write("header", pod("header", WAITS, { container: { livenessProbe } }));
      // Refused for that header by name, or probed.
      const isSeen = () => /httpHeaders.*header value/.test(agent.output) || agent.isUnhealthy("header");
      const wasSeen = await holdsWithin(60, () => !agent.alive || isSeen());
      await holdsWithin(5, () => !agent.alive);
      if (!agent.alive) return "the agent died";
      tookPlace(wasSeen, `nobody looked at the header: ${agent.output.slice(-500)}`);
      return undefined;
    },
  },
  {
    number: 2,
    name: "a hostPath whose file system never answers",
    async attack(agent) {
      const hung = agent.place("hung");
      const mount =
        'exec 3<>/dev/fuse; mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 hung "$1" && echo up; read -r _; umount -i -l "$1"';
      const server = spawn("sh", ["-c", mount, "sh", hung], { stdio: ["pipe", "pipe", "inherit"] });
      await new Promise((resolve, reject) => {
        server.stdout.once("data", resolve);
        server.once("exit", () => reject(new Error("no hanging file system could be mounted")));
      });
      try {
        tookPlace(await agent.start(), agent.output);
        const container = { volumeMounts: [{ name: "v", mountPath: "/mnt" }] };
        const began = performance.now();
        agent.write("before", pod("before", WAITS));
        tookPlace(await holdsWithin(60, () => runs(agent, "before")), "no pod runs, hung or not");
        const usual = (performance.now() - began) / 1000;
        for (let at = 0; at < 5; at += 1)
          agent.write(`hung-${at}`, pod(`hung-${at}`, WAITS, { container, volumes: [hostPath("v", hung)] }));
        await pause(2_000);
        agent.write("good", pod("good", WAITS));
        return (await holdsWithin(15 + 5 * usual, () => runs(agent, "good")))
          ? undefined
          : "a pod that has nothing to do with it does not start";
      } finally {
        const gone = new Promise((resolve) => server.once("exit", resolve));
        server.stdin.end("\n");
        await gone;
      }
    },
  },
  {
    number: 3,
    name: "64 KB of fieldPath, and YAML merge keys within merge keys",
    attack(agent) {
      const env = [
        { name: "A", valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${"a.".repeat(32_000)}` } } },
      ];
      const file = (name, text) => {
        writeFileSync(path.join(agent.folder, name), text);
        return path.join(agent.folder, name);
      };
      const keys = Array.from({ length: 4_000 }, (_, at) => `  key${at}: ${at}\n`).join("");
      const merges = Array.from({ length: 2_000 }, (_, at) => `b${at}: {<<: *a}\n`).join("");
      const plain = agent.check(
        file("small.json", JSON.stringify(pod("small", WAITS, { container: { image: "host" } }))),
      );
      const field = agent.check(
        file("field.json", JSON.stringify(pod("field", WAITS, { container: { image: "host", env } }))),
      );
      const merged = agent.check(file("merged.yaml", `a: &a\n${keys}${merges}`));
      const flat = agent.check(file("flat.yaml", `a: &a\n${keys}${merges.replaceAll("<<: *a", "b: 123")}`));
      tookPlace(plain.status === 0, `a plain pod is refused: ${plain.said}`);
      tookPlace(/fieldPath/.test(field.said), `nobody looked at the fieldPath: ${field.said.slice(0, 200)}`);
      tookPlace(/merged\.yaml/.test(merged.said), `nobody looked at the merge keys: ${merged.said.slice(0, 200)}`);
      // As many bytes without the trick are what the machine needs anyway.
      const slow = Math.max(field.seconds - plain.seconds, merged.seconds - flat.seconds);
      return slow > 0.7 ? `${slow.toFixed(1)} s of CPU for one manifest` : undefined;
    },
  },
  {
    number: 4,
    name: "300 watchers that read nothing",
    async attack(agent) {
      tookPlace(await agent.start(), agent.output);
      let [connected, why] = [0, "no answer"];
      const watchers = Array.from({ length: 300 }, () => {
        const socket = connect(agent.port, "127.0.0.1", () => {
          connected += 1;
        }).on("error", ({ message }) => {
          why = message;
        });
        socket.write("GET /events?watch=true HTTP/1.1\r\nHost: localhost\r\n\r\n");
        return socket;
      });
      await pause(1_500);
      const signal = AbortSignal.timeout(3_000);
      const health = await fetch(`http://127.0.0.1:${agent.port}/healthz`, { signal }).catch((error) => error);
      for (const socket of watchers) socket.destroy();
      tookPlace(connected === 300, `${connected} of 300 watchers came as far as a connection: ${why}`);
      return health.status === 200 ? undefined : `/healthz: ${health.message ?? health.status}`;
    },
  },
  {
    number: 6,
    name: "a probe that prints without end",
    async attack(agent) {
      tookPlace(await agent.start(), agent.output);
      const livenessProbe = {
        exec: { command: ["cat", "/dev/zero"] },
        periodSeconds: 1,
        timeoutSeconds: 3,
        failureThreshold: 100,
      };
      agent.write("endless", pod("endless", WAITS, { container: { livenessProbe } }));
      tookPlace(await holdsWithin(10, () => runs(agent, "endless")), "the pod never ran");
      const before = agent.cpu();
      await pause(8_000);
      const used = agent.cpu() - before;
      tookPlace(await holdsWithin(20, () => agent.isUnhealthy("endless")), "no probe of the pod was tried");
      return used > 1.5 ? `${used.toFixed(1)} s of CPU in 8 s` : undefined;
    },
  },
  {
    number: 8,
    name: "a memory volume read, and its folder made in advance, by another user",
    async attack(agent) {
      tookPlace(await agent.start(), agent.output);
      const container = { volumeMounts: [{ name: "m", mountPath: "/m" }] };
      const volumes = [{ name: "m", emptyDir: { medium: "Memory" } }];
      agent.write(
        "memory",
        pod("memory", `echo s3cret > /m/hooklet-attack; chmod 666 /m/hooklet-attack; ${WAITS}`, { container, volumes }),
      );
      tookPlace(await holdsWithin(10, () => runs(agent, "memory")), "the pod never ran");
      await pause(1_000);
      const places = ["/dev/shm", "/run", agent.rootDir];
      tookPlace(findAs(0, "hooklet-attack", ...places).includes("s3cret"), "root does not find it either");
      const found = findAs(NOBODY, "hooklet-attack", ...places);
      return found.includes("s3cret") ? "read it" : undefined;
    },
  },
  {
    number: 9,
    name: "a folder of a shared volume swapped with a link while others mount below it",
    attack: (agent) =>
      whileSwapped(agent, "hooklet", async ({ volume }) => {
        tookPlace(await agent.start(), agent.output);
        for (let at = 0; at < 12; at += 1) {
          const volumeMounts = [
            { name: "shared", mountPath: "/srv" },
            { name: "own", mountPath: `/srv/a/made${at}` },
          ];
          agent.write(
            `swap-${at}`,
            pod(`swap-${at}`, WAITS, {
              container: { volumeMounts },
              volumes: [hostPath("shared", volume), { name: "own", emptyDir: {} }],
            }),
          );
        }
        const anyRuns = () => Array.from({ length: 12 }, (_, at) => `swap-${at}`).some((name) => runs(agent, name));
        tookPlace(await holdsWithin(90, anyRuns), "no pod ran");
        await pause(15_000);
      }),
    withoutHooklet: (agent) =>
      whileSwapped(agent, "ctr", ({ volume, closed }) => {
        const own = agent.place("ctr-own");
        const bind = (from, to) => ["--mount", `type=bind,src=${from},dst=${to},options=rbind:rw`];
        const ctr = ["--address", agent.endpoint.replace("unix://", ""), "--namespace", "k8s.io"];
        for (let at = 0; at < 400 && entries(closed).length === 0; at += 1) {
          const mounts = [...bind(volume, "/srv"), ...bind(own, `/srv/a/made${at}`)];
          const words = ["--rm", ...mounts, "docker.io/library/busybox:1", `swap-${at}`, "/bin/true"];
          spawnSync("ctr", [...ctr, "run", ...words], { timeout: 30_000 });
        }
      }),
  },
  {
    number: 10,
    name: "the root dir's lock held by another user",
    async attack(agent) {
      mkdirSync(agent.rootDir);
      const name = createHash("sha256").update(realpathSync(agent.rootDir)).digest("hex");
      const socket = createSocket().listen(`\0hooklet-${name}`.padEnd(108, "-"));
      await new Promise((resolve) => socket.once("listening", resolve));
      const theirs = lockAs(NOBODY, agent);
      await pause(500);
      try {
        if (!(await agent.start())) return "the agent does not start";
      } finally {
        socket.close();
        theirs.kill("SIGKILL");
      }
      // The same steps do keep an agent out where they are root's.
      await agent.stop();
      const roots = lockAs(0, agent);
      await pause(500);
      try {
        tookPlace(!(await agent.start()), "root holds the lock, and the agent starts all the same");
      } finally {
        roots.kill("SIGKILL");
      }
      return undefined;
    },
  },
  {
    number: 11,
    name: "env values over TCP",
    async attack(agent) {
      tookPlace(await agent.start(), agent.output);
      agent.write("env", pod("env", WAITS, { container: { env: [{ name: "PASSWORD", value: "s3cret" }] } }));
      tookPlace(await holdsWithin(10, () => runs(agent, "env")), "the pod never ran");
      tookPlace(
        agent.hooklet("get", "pods", "-o", "json").stdout.includes("s3cret"),
        "the value is nowhere, not even for root",
      );
      const { stdout } = as(NOBODY, "curl", "-s", `http://127.0.0.1:${agent.port}/pods`);
      return stdout.includes("s3cret") ? "an ordinary user reads them" : undefined;
    },
  },
  {
    number: 12,
    name: "a write to what is mounted below a read-only hostPath",
    async attack(agent) {
      const host = agent.place("read-only");
      const below = path.join(host, "below");
      mkdirSync(below);
      spawnSync("mount", ["-t", "tmpfs", "tmpfs", below]);
      try {
        tookPlace(await agent.start(), agent.output);
        // What is mounted below stays writable under a kubelet too, without recursiveReadOnly.
        const recursively = agent.endpoint !== undefined && { recursiveReadOnly: "Enabled" };
        const container = { volumeMounts: [{ name: "v", mountPath: "/mnt", readOnly: true, ...recursively }] };
        agent.write(
          "below",
          pod("below", `echo x > /mnt/below/f; echo tried; ${WAITS}`, { container, volumes: [hostPath("v", host)] }),
        );
        const isRefused = () => recursively !== false && /recursive read-only mode, but/.test(agent.output);
        const hasTried = async () => /tried/.test(await agent.log("below", /tried/));
        tookPlace((await hasTried()) || isRefused(), "the container never wrote, and was not refused");
        return entries(below).length > 0 ? "written" : undefined;
      } finally {
        spawnSync("umount", ["-l", below]);
      }
    },
  },
  {
    number: 13,
    name: "another pod's secrets through /proc, and descriptors that the agent was started with",
    async attack(agent) {
      tookPlace(await agent.start({ stdio: ["ignore", "ignore", spawnableSecret(agent)] }), agent.output);
      tookPlace(agent.descriptor(5).endsWith("/inherited"), "the agent was not started with the descriptor");
      const nobody = { runAsUser: NOBODY, capabilities: { drop: ["ALL"] } };
      const secret = { env: [{ name: "PASSWORD", value: "s3cret" }], securityContext: nobody };
      agent.write("victim", pod("victim", WAITS, { container: secret }));
      tookPlace(await holdsWithin(10, () => runs(agent, "victim")), "the pod never ran");
      const script = `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep '^PASSWORD='; cat /proc/self/fd/5; echo done; ${WAITS}`;
      agent.write("thief", pod("thief", script, { container: { securityContext: nobody } }));
      const said = await agent.log("thief", /done/);
      tookPlace(/done/.test(said), "the thief never ended");
      return /s3cret|inherited/.test(said) ? said.match(/^PASSWORD=.*|^inherited/gm)?.join(", ") : undefined;
    },
  },
  {
    number: 14,
    name: "a root dir that another user owns",
    async attack(agent) {
      mkdirSync(agent.rootDir);
      chownSync(agent.rootDir, NOBODY, NOBODY);
      if (await agent.start()) return "root's agent runs what that user keeps there";
      chownSync(agent.rootDir, 0, 0);
      tookPlace(await agent.start(), `it does not start on a root dir of root's either: ${agent.output}`);
      return undefined;
    },
  },
  {
    number: 14.2,
    name: "an rc file of SUDO_UID's, run as root",
    attack(agent) {
      const rc = path.join(agent.place("theirs"), "hooklet.config.mjs");
      const proof = path.join(agent.folder, "proof");
      writeFileSync(
        rc,
        `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(proof)}, "ran"); export default {};`,
      );
      const isRunFor = (owner) => {
        for (const at of [rc, path.dirname(rc)]) chownSync(at, owner, owner);
        const env = { ...process.env, SUDO_UID: String(NOBODY) };
        spawnSync(process.execPath, [agent.binary, "check"], { cwd: path.dirname(rc), env });
        return entries(agent.folder).includes("proof");
      };
      if (isRunFor(NOBODY)) return "it ran";
      tookPlace(isRunFor(0), "an rc file of root's is not run either");
      return undefined;
    },
  },
  {
    number: 15,
    name: "a redirect of manifestUrl to another origin",
    async attack(agent) {
      let [asked, seen] = [];
      const other = createServer((request, response) => {
        seen ??= request.headers["x-token"];
        response.end("{}");
      }).listen(0, "127.0.0.1");
      await new Promise((resolve) => other.once("listening", resolve));
      const first = createServer((request, response) => {
        asked ??= request.headers["x-token"];
        response.writeHead(302, { location: `http://127.0.0.1:${other.address().port}/` }).end();
      }).listen(0, "127.0.0.1");
      await new Promise((resolve) => first.once("listening", resolve));
      const manifestUrl = `http://127.0.0.1:${first.address().port}/`;
      const sources = { manifestUrl, manifestUrlHeader: { "X-Token": ["s3cret"] } };
      tookPlace(await agent.start({ rc: { sources } }), agent.output);
      await holdsWithin(5, () => seen !== undefined);
      first.close();
      other.close();
      tookPlace(asked === "s3cret", "the agent did not ask the first origin with its header");
      return seen === undefined ? undefined : "the other origin has the header";
    },
  },
  {
    number: 16,
    name: "a log replaced by a link",
    async attack(agent) {
      tookPlace(await agent.start(), agent.output);
      const secret = path.join(agent.folder, "secret");
      writeFileSync(secret, "2026-01-01T00:00:00.000000000Z stdout F s3cret\n");
      agent.write("log", pod("log", `echo hello; ${WAITS}`));
      tookPlace(/hello/.test(await agent.log("log", /hello/)), "the container wrote nothing");
      const ofPod = `*${agent.pod("log").metadata.uid}*`;
      const all = ["-L", agent.rootDir, "-path", ofPod, "-name", "0.log"];
      const [file] = spawnSync("find", all, { encoding: "utf8" }).stdout.split("\n");
      tookPlace(file !== "", "the container has no log");
      rmSync(file);
      symlinkSync(secret, file);
      const tells = () => agent.hooklet("logs", agent.pod("log")?.metadata.name).stdout.includes("s3cret");
      if (tells()) return "logs reads what the link leads to";
      rmSync(file);
      copyFileSync(secret, file);
      tookPlace(tells(), "logs reads another file than the one that was replaced");
      return undefined;
    },
  },
  {
    number: 17,
    name: "advice that opens /tmp",
    attack(agent) {
      const rc = path.join("/tmp", `${path.basename(agent.folder)}.json`);
      writeFileSync(rc, "{}");
      chownSync(rc, NOBODY, NOBODY);
      try {
        const { stdout, stderr, status } = agent.hooklet("check", "--config", rc);
        tookPlace(status !== 0 && (stdout + stderr).includes(rc), `the file was not refused: ${stdout}${stderr}`);
        const [advice] = /ch(?:mod|own) [^\n;]*/.exec(stdout + stderr) ?? [];
        return advice;
      } finally {
        rmSync(rc);
      }
    },
  },
  {
    number: 18,
    name: "a line break in what a probe says",
    async attack(agent) {
      tookPlace(await agent.start({ args: ["--log-level", "debug"] }), agent.output);
      const livenessProbe = {
        exec: { command: ["/bin/sh", "-c", "printf 'x\\nFORGED line of a log\\n'; exit 1"] },
        periodSeconds: 1,
        failureThreshold: 100,
      };
      agent.write("forge", pod("forge", WAITS, { container: { livenessProbe } }));
      tookPlace(await holdsWithin(12, () => /FORGED/.test(agent.output)), "what the probe said is in no log");
      return /^FORGED/m.test(agent.output) ? "a line of its own in the log" : undefined;
    },
  },
];

/** A process swaps a folder of a volume with a link to a closed folder all the time; reports what root made in there meanwhile. */
async function whileSwapped(agent, name, work) {
  const [volume, closed] = [agent.place(`${name}-volume`), agent.place(`${name}-closed`)];
  mkdirSync(path.join(volume, "a"));
  symlinkSync(closed, path.join(volume, "l"));
  const swap = "my ($a, $l) = @ARGV; while (1) { syscall(316, -100, $a, -100, $l, 2) }";
  const swapper = spawn("perl", ["-e", swap, path.join(volume, "a"), path.join(volume, "l")]);
  try {
    await work({ volume, closed });
    tookPlace(swapper.exitCode === null, "nobody swapped the folder");
    const made = entries(closed);
    return made.length > 0 ? `root made ${made.length} folders outside` : undefined;
  } finally {
    swapper.kill("SIGKILL");
  }
}

/** Holds the root dir's lock as long as it may and lives. */
function lockAs(user, agent) {
  const held = ["flock", "--no-fork", path.join(agent.rootDir, "lock"), "sleep", "60"];
  return spawn("setpriv", [`--reuid=${user}`, `--regid=${user}`, "--clear-groups", ...held]);
}

/** An open descriptor on a file that only root reads. */
function spawnableSecret(agent) {
  const file = path.join(agent.folder, "inherited");
  writeFileSync(file, "inherited\n", { mode: 0o600 });
  return openSync(file, "r");
}
