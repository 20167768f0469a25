import { aContainer, aPod, SimulatedHost, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { afterEach, describe, expect, test } from "@jest/globals";
import plugin from "../../../src/index.js";
import { keeper } from "../world.js";

const context = (memcg: string, task: string, name: string, pid: number): string =>
  `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=${memcg},task_memcg=${task},task=${name},pid=${pid},uid=0`;
const killed = (pid: number, name: string): string =>
  `Memory cgroup out of memory: Killed process ${pid} (${name}) total-vm:70000kB, anon-rss:60000kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:160kB oom_score_adj:968`;

describe("in an agent", () => {
  const agents: TestAgent[] = [];
  afterEach(async () => {
    for (const agent of agents.splice(0)) await agent.stop();
  });

  async function started(version: "v1" | "v2") {
    const clock = new VirtualClock();
    const host = new SimulatedHost({ clock, cgroups: version });
    const uptime = (): void => host.kernel.set("/proc/uptime", `${clock.monotonic() / 1000} 0\n`);
    host.kernel.set("/proc/vmstat", "nr_free_pages 1\noom_kill 5\n");
    uptime();
    const agent = await startTestAgent({ clock, host, plugins: [keeper, plugin] });
    agents.push(agent);
    await agent.apply(aPod({ name: "web", containers: [aContainer({ name: "main" })] }));
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    const { uid } = agent.pod("web").metadata;
    const id = (await agent.runtime.listContainers()).find(({ metadata }) => metadata.name === "main")?.id ?? "";
    const path = `/kubepods/besteffort/pod${uid}/${id}`;
    const root = version === "v1" ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
    host.kernel.addFolder(`${root}${path}`);
    const counter = version === "v1" ? "memory.oom_control" : "memory.events";
    const kill = (count: number, ...log: readonly string[]): void => {
      uptime();
      host.kernel.set("/proc/vmstat", `nr_free_pages 1\noom_kill ${5 + count}\n`);
      host.kernel.set(`${root}${path}/${counter}`, `low 0\noom_kill ${count}\n`);
      host.logKernel(...log);
    };
    const events = () => agent.events().filter(({ reason }) => /OOM/.test(reason ?? ""));
    const page = async (): Promise<string> => (await agent.api.metrics("/metrics/cadvisor"))?.body ?? "";
    return { agent, clock, host, path, kill, events, page };
  }

  test.each(["v1", "v2"] as const)(
    "on %s: a process that is killed while the container survives is reported once, with name and pid, and counted",
    async (version) => {
      const { agent, clock, path, kill, events, page } = await started(version);
      kill(1, context("/kubepods", path, "tail", 42), killed(42, "tail"));
      await clock.advance(60_000);
      expect(events()).toMatchObject([
        {
          type: "Warning",
          reason: "OOMKilling",
          message: "Memory cgroup OOM encountered, victim process: tail, pid: 42",
          involvedObject: { name: "web", fieldPath: "spec.containers{main}" },
        },
      ]);
      expect(agent.pod("web").status?.phase).toBe("Running");
      expect(await page()).toMatch(/container_oom_events_total\{container="main",[^}]*\} 1\n/);
    },
  );

  test("without an entry in the log, the cgroup's counter decides", async () => {
    const { clock, kill, events } = await started("v2");
    kill(3);
    await clock.advance(20_000);
    expect(events()).toMatchObject([{ message: "Memory cgroup OOM encountered, 3 processes were killed" }]);
  });

  test("when the machine itself runs out the node gets the kubelet's event", async () => {
    const { clock, host, events } = await started("v2");
    host.kernel.set("/proc/vmstat", "oom_kill 6\n");
    host.logKernel(
      "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/system/a,task=hog,pid=7,uid=0",
      "Out of memory: Killed process 7 (hog) total-vm:1kB",
    );
    await clock.advance(20_000);
    expect(events()).toMatchObject([
      {
        reason: "SystemOOM",
        message: "System OOM encountered, victim process: hog, pid: 7",
        involvedObject: { kind: "Node" },
      },
    ]);
  });

  test("kills before the agent started are not reported", async () => {
    const { agent, clock, path, kill, events } = await started("v1");
    await agent.stop();
    kill(1, context("/kubepods", path, "tail", 42), killed(42, "tail"));
    await agent.start();
    await clock.advance(60_000);
    expect(events()).toEqual([]);
  });

  test("a container that died of it counts, also when its cgroup is gone by then", async () => {
    const { agent, clock, host, path, events, page } = await started("v1");
    host.kernel.set("/proc/vmstat", "oom_kill 6\n");
    host.kernel.removeDirectory(`/sys/fs/cgroup/memory${path}`);
    agent.runtime.exit("web", "main", 137, { reason: "OOMKilled" });
    await clock.advance(60_000);
    expect(events()).toMatchObject([{ message: "Memory cgroup OOM encountered, a process was killed" }]);
    const id = (await agent.runtime.listContainers()).find(({ metadata }) => metadata.attempt === 1)?.id ?? "";
    host.kernel.addFolder(`/sys/fs/cgroup/memory${path.slice(0, path.lastIndexOf("/"))}/${id}`);
    expect(await page()).toMatch(/container_oom_events_total\{container="main",[^}]*\} 1\n/);
  });
});
