// What lets a pod escape its limit, come back, or hold up others, and where the runtime lies to it: numbers 5 and 19 to 24.
// An attack returns what it got; nothing when it got nothing.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { cpus } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { allPids, CGROUPS, commandOf, holdsWithin, removeCgroupTree, signal } from "../machine.mjs";
import { entries, pod, tookPlace } from "./agent.mjs";

const WAITS = "while :; do sleep 1; done";
/** A pod whose emptyDir `v` may have 1 MiB. */
const limited = (name, script) =>
  pod(name, script, {
    container: { volumeMounts: [{ name: "v", mountPath: "/v" }] },
    volumes: [{ name: "v", emptyDir: { sizeLimit: "1Mi" } }],
  });
/** It has 2 MiB in it, and does this then. */
const overLimit = (name, script = WAITS) => limited(name, `head -c 2097152 /dev/zero > /v/big; echo full; ${script}`);
const isFull = async (agent, name) => /full/.test(await agent.log(name, /full/));
const isEvicted = (agent, name) => agent.reasons(name).includes("Evicted");
/** Seconds: agents look every ten, and a busy machine may need some more. */
const EVICTION = 60;

const phase = (agent, name) => agent.pod(name)?.status?.phase;
const isRunning = (agent, name) => holdsWithin(20, () => phase(agent, name) === "Running");
/** So large that there is no second one on the node. */
const requests = (amount) => ({ resources: { requests: { cpu: `${Math.round(amount * cpus().length * 1000)}m` } } });

export const POD_ATTACKS = [
  {
    number: 5,
    name: "a folder that is filled again and again while its pod is removed",
    async attack(agent) {
      tookPlace(await agent.start(), agent.output);
      agent.apply(pod("filled", WAITS, { volumes: [{ name: "v", emptyDir: {} }] }));
      tookPlace(await isRunning(agent, "filled"), "the pod never ran");
      const at = agent.volume(agent.pod("filled"), "v");
      // When it is removed, it is made again.
      const fill = `for ($n = 0;; $n++) { mkdir "$ARGV[0]/$n"; if (open(F, ">", "$ARGV[0]/$n/f")) { close F } elsif (!-d $ARGV[0]) { system("mkdir", "-p", $ARGV[0]) } }`;
      const fillers = [0, 1].map((from) => spawn("perl", ["-e", fill.replace("$n = 0", `$n = ${from}e9`), at]));
      try {
        tookPlace(await holdsWithin(10, () => entries(at).length > 500), "nobody filled the folder");
        spawn(process.execPath, [agent.binary, "--root-dir", agent.rootDir, "delete", "pod", "filled"]);
        await pause(5_000);
        tookPlace(fillers.every(({ exitCode }) => exitCode === null) && existsSync(at), "the folder is gone for good");
        if (!agent.alive) return "the agent died";
        agent.apply(pod("next", WAITS));
        return (await isRunning(agent, "next")) ? undefined : "another pod does not start";
      } finally {
        for (const filler of fillers) filler.kill("SIGKILL");
      }
    },
  },
  {
    number: 5.2,
    name: "folders too deep to be counted by path, and a pod behind them over its limit",
    async attack(agent) {
      tookPlace(await agent.start(), agent.output);
      agent.apply(limited("deep", WAITS));
      tookPlace(await isRunning(agent, "deep"), "the pod never ran");
      const dig = 'chdir $ARGV[0]; for (1 .. 40) { mkdir "d" x 200; chdir "d" x 200 or die }';
      const { status } = spawnSync("perl", ["-e", dig, agent.volume(agent.pod("deep"), "v")]);
      tookPlace(status === 0, "the folders were not made");
      agent.apply(overLimit("behind"));
      tookPlace(await isFull(agent, "behind"), "the pod behind never filled its volume");
      return (await holdsWithin(EVICTION, () => isEvicted(agent, "behind")))
        ? undefined
        : "the pod behind is not evicted";
    },
  },
  {
    number: 5.3,
    name: "an eviction that does not come to its end, and a pod behind it over its limit",
    async attack(agent) {
      tookPlace(await agent.start(), agent.output);
      agent.apply(overLimit("stuck", `: ${agent.folder}/stuck; ${WAITS}`));
      tookPlace(await isFull(agent, "stuck"), "the first pod never filled its volume");
      const { isThere, thaw } = freeze(`${agent.folder}/stuck`);
      try {
        agent.apply(overLimit("behind"));
        tookPlace(await isFull(agent, "behind"), "the pod behind never filled its volume");
        tookPlace(await holdsWithin(EVICTION, () => isEvicted(agent, "stuck")), "the first pod is not evicted");
        // A kubelet, too, gives evicted pods half a minute before it evicts others.
        const evicted = await holdsWithin(EVICTION, () => isEvicted(agent, "behind"));
        tookPlace(isThere(), "the first pod came to its end all the same");
        return evicted ? undefined : "the pod behind is not evicted";
      } finally {
        await thaw();
      }
    },
  },
  {
    number: 19,
    name: "folders that come and go in an emptyDir over its limit",
    async attack(agent) {
      tookPlace(await agent.start(), agent.output);
      agent.apply(overLimit("churn"));
      tookPlace(await isFull(agent, "churn"), "the pod never filled its volume");
      // As its containers might do, whatever there is in their image.
      const churn = 'chdir $ARGV[0]; while (1) { for (1 .. 400) { mkdir "$$-$_" } for (1 .. 400) { rmdir "$$-$_" } }';
      const at = agent.volume(agent.pod("churn"), "v");
      const churners = [1, 2, 3, 4].map(() => spawn("perl", ["-e", churn, at]));
      try {
        if (await holdsWithin(EVICTION, () => isEvicted(agent, "churn"))) return undefined;
        tookPlace(
          churners.every(({ exitCode }) => exitCode === null),
          "nobody makes and removes folders",
        );
        agent.apply(overLimit("plain"));
        const isSeen = await holdsWithin(EVICTION, () => isEvicted(agent, "plain"));
        tookPlace(isSeen, "a pod that only fills its volume is not evicted either");
        return `not evicted within ${EVICTION} s`;
      } finally {
        for (const churner of churners) churner.kill("SIGKILL");
      }
    },
  },
  {
    number: 20,
    name: "an eviction while the disk is full, and another agent once there is room",
    async attack(agent) {
      mkdirSync(agent.rootDir, { mode: 0o755 });
      spawnSync("mount", ["-t", "tmpfs", "-o", "size=48m,mode=755", "tmpfs", agent.rootDir]);
      tookPlace(await agent.start(), agent.output);
      agent.apply(overLimit("evicted"));
      tookPlace(await isRunning(agent, "evicted"), "the pod never ran");
      const big = path.join(agent.volume(agent.pod("evicted"), "v"), "big");
      const isBig = () => existsSync(big) && statSync(big).size === 2 ** 21;
      tookPlace(await holdsWithin(20, isBig, 10), "the pod never filled its volume");
      const filler = path.join(agent.rootDir, "filler");
      spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=64k"]);
      tookPlace(!/Evicted/.test(agent.output), "the eviction came before the disk was full");
      tookPlace(statfsSync(agent.rootDir).bavail === 0, "the disk is not full");
      tookPlace(await holdsWithin(EVICTION, () => isEvicted(agent, "evicted")), "the pod is not evicted");
      // On the second try, ten seconds later, too.
      await pause(12_000);
      rmSync(filler);
      tookPlace(await holdsWithin(60, () => phase(agent, "evicted") === "Failed"), "the evicted pod is not Failed");
      await pause(15_000);
      await agent.leave();
      tookPlace(await agent.start(), "no other agent starts");
      const isBack = await holdsWithin(20, () => phase(agent, "evicted") === "Running");
      if (isBack) return "the evicted pod runs again";
      tookPlace(
        phase(agent, "evicted") === "Failed",
        `the evicted pod is ${phase(agent, "evicted")} for the next agent`,
      );
      return undefined;
    },
  },
  {
    number: 21,
    name: "a pod deleted while another's long preemption goes on",
    async attack(agent) {
      tookPlace(await agent.start(), agent.output);
      const stubborn = pod("victim", `trap '' TERM; ${WAITS}`, {
        container: requests(0.7),
        terminationGracePeriodSeconds: 45,
      });
      agent.apply(stubborn);
      tookPlace(await isRunning(agent, "victim"), "the victim never ran");
      agent.write("preemptor", pod("preemptor", WAITS, { container: requests(0.7) }));
      tookPlace(
        await holdsWithin(20, () => agent.reasons("victim").includes("Preempting")),
        `nobody is preempted: ${agent.reasons("victim")}`,
      );
      agent.apply(pod("waiting", WAITS));
      tookPlace(agent.pod("waiting") !== undefined, "the pod that waits is not there");
      spawn(process.execPath, [agent.binary, "--root-dir", agent.rootDir, "delete", "pod", "waiting"]);
      const gone = await holdsWithin(15, () => agent.pod("waiting") === undefined);
      tookPlace(phase(agent, "preemptor") !== "Running", "the preemption was over before");
      return gone ? undefined : "it is still there after 15 s";
    },
  },
  {
    number: 21.2,
    name: "an agent stopped while a pod is in admission",
    async attack(agent) {
      const plugin = path.join(agent.folder, "slow.mjs");
      writeFileSync(
        plugin,
        `export default { meta: { name: "slow", api: 1 }, options: (z) => z.object({}), start(ctx) {
          ctx.hooks.podAdmit.tap((verdict, { signal }) => new Promise((resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))));
        } };`,
      );
      tookPlace(await agent.start({ rc: { plugins: [plugin] } }), agent.output);
      agent.write("asked", pod("asked", WAITS));
      tookPlace(await holdsWithin(20, () => phase(agent, "asked") === "Pending"), "the pod is not there");
      await pause(2_000);
      const before = agent.output.length;
      await agent.leave("SIGTERM");
      return agent.output.slice(before).match(/^.*asked.*(?:reject|fail|admi|slow).*$/im)?.[0];
    },
  },
  {
    number: 22,
    name: "a host name that was asked for, seen from inside",
    async attack(agent) {
      tookPlace(await agent.start({ rc: { node: { clusterDomain: "cluster.local" } } }), agent.output);
      const named = { hostname: "web", subdomain: "sub", setHostnameAsFQDN: true };
      agent.write("named", pod("named", `cat /etc/hostname; grep web /etc/hosts; echo done; ${WAITS}`, named));
      const said = await agent.log("named", /done/);
      tookPlace(/done/.test(said), `the container said nothing: ${said}`);
      const [hostname, ...hosts] = said.trim().split("\n");
      const full = "web.sub.default.svc.cluster.local";
      if (hostname !== full) return `/etc/hostname: ${hostname}`;
      return hosts.some((line) => line.includes(full)) ? undefined : `/etc/hosts: ${hosts.join(", ")}`;
    },
  },
  {
    number: 23,
    name: "a port that is taken, and a container to be started again",
    async attack(agent) {
      const mark = path.join(agent.folder, "early");
      const ours = () => allPids().filter((pid) => commandOf(pid).some((word) => word.includes(`: ${mark};`)));
      tookPlace(await agent.start(), agent.output);
      agent.write("early", pod("early", `: ${mark}; ${WAITS}`));
      tookPlace(await isRunning(agent, "early"), "the container never ran");
      await agent.leave();
      // One step is enough for this pod: its sandbox is there.
      for (const pid of ours()) signal(pid, "SIGKILL");
      tookPlace(await holdsWithin(10, () => ours().length === 0), "the container does not end");
      const taken = createServer().listen(0, "127.0.0.1");
      await new Promise((resolve) => taken.once("listening", resolve));
      try {
        await agent.start({ args: ["--port", String(taken.address().port)] });
        tookPlace(await holdsWithin(20, () => !agent.alive), "the agent lives although its port was taken");
        await pause(3_000);
      } finally {
        taken.close();
      }
      const left = ours();
      for (const pid of left) signal(pid, "SIGKILL");
      if (left.length > 0) return `the agent is gone, ${left.length} processes of its pod are not`;
      tookPlace(await agent.start(), "it does not start on a free port either");
      tookPlace(
        await holdsWithin(20, () => ours().length > 0),
        "the container is not started again on a free port either",
      );
      return undefined;
    },
  },
  {
    number: 24,
    name: "a finished job, and another agent",
    async attack(agent) {
      tookPlace(await agent.start(), agent.output);
      agent.write("job", pod("job", "exit 0", { restartPolicy: "Never" }));
      tookPlace(await holdsWithin(20, () => phase(agent, "job") === "Succeeded"), "the job did not end");
      await agent.leave("SIGTERM");
      tookPlace(await agent.start(), "no other agent starts");
      tookPlace(await holdsWithin(20, () => phase(agent, "job") === "Succeeded"), "the job is not taken over");
      await pause(5_000);
      return agent.reasons("job").includes("SandboxChanged") ? "event about a changed sandbox" : undefined;
    },
  },
];

/** Processes with this in their command line take no signal until they are thawed (cgroup v1). */
function freeze(mark) {
  const group = path.join(CGROUPS, "freezer", path.basename(path.dirname(mark)));
  const inside = allPids().filter((pid) => commandOf(pid).some((word) => word.includes(mark)));
  tookPlace(inside.length > 0, "there is no process to freeze");
  mkdirSync(group);
  for (const pid of inside) writeFileSync(path.join(group, "cgroup.procs"), String(pid));
  writeFileSync(path.join(group, "freezer.state"), "FROZEN");
  const isThere = () => inside.some((pid) => commandOf(pid).length > 0);
  const thaw = async () => {
    for (const pid of inside) signal(pid, "SIGKILL");
    writeFileSync(path.join(group, "freezer.state"), "THAWED");
    await holdsWithin(10, () => !isThere());
    removeCgroupTree(group);
  };
  return { isThere, thaw };
}
