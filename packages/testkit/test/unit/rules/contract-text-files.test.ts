/** A simulated pod gets the settings of the simulated machine, not those of the machine below the test. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxConfig } from "@hooklet/core/host";
import { expect, test } from "@jest/globals";
import { aPod, SimulatedHost, SimulatedRuntime, startTestAgent, VirtualClock } from "../../../src/index.js";

class NotingRuntime extends SimulatedRuntime {
  readonly made: SandboxConfig[] = [];

  override runSandbox(config: SandboxConfig, signal?: AbortSignal): Promise<string> {
    this.made.push(config);
    return super.runSandbox(config, signal);
  }
}

async function node(change: (host: SimulatedHost) => void = () => undefined) {
  const clock = new VirtualClock();
  const runtime = new NotingRuntime({ clock, writeLogs: true });
  const host = new SimulatedHost({ clock });
  change(host);
  const agent = await startTestAgent({ clock, runtime, host });
  await agent.apply(aPod({ name: "web", spec: { dnsPolicy: "Default", hostNetwork: true } }));
  await agent.advance(5_000);
  expect(agent.pod("web").status?.phase).toBe("Running");
  const hosts = join(agent.rootDir, "pods", agent.pod("web").metadata.uid, "etc-hosts");
  return { servers: runtime.made[0]?.dns?.servers, hosts: await readFile(hosts, "utf8") };
}

test("the same nameservers and hosts on every machine", async () => {
  const { servers, hosts } = await node();
  expect(servers).toEqual(["192.0.2.53"]);
  expect(hosts).toContain("127.0.0.1\tlocalhost\n");
});

test("and others, where the test sets them", async () => {
  const { servers, hosts } = await node((host) => {
    host.setTextFile("/etc/resolv.conf", "nameserver 198.51.100.7\n");
    host.setTextFile("/etc/hosts", "198.51.100.8\tgateway\n");
  });
  expect(servers).toEqual(["198.51.100.7"]);
  expect(hosts).toContain("198.51.100.8\tgateway\n");
});
