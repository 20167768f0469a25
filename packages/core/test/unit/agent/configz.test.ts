import { expect, test } from "@jest/globals";
import { configz } from "../../../src/agent/configz.js";
import type { AgentConfig } from "../../../src/config/agent-config.js";
import { TestNode } from "../../agent/node.js";

test("configz has the kubelet's names and forms for what a kubelet has too, and the origin of each setting beside it", async () => {
  const here = await new TestNode({ node: { maxPods: 250, systemReserved: { cpu: "100m" } } }).start();
  expect(here.agent.api.configz()).toMatchObject({
    kubeletconfig: {
      fileCheckFrequency: "20s",
      healthzBindAddress: "127.0.0.1",
      maxPods: 250,
      resolvConf: "/etc/resolv.conf",
      containerLogMaxSize: "10Mi",
      containerLogMaxFiles: 5,
      serializeImagePulls: true,
      systemReserved: { cpu: "100m" },
    },
    settings: expect.any(Array),
  });
});

test("configz shows neither the values of headers nor what is not set", () => {
  const { config } = new TestNode().options();
  const sources: AgentConfig["sources"] = {
    ...config.sources,
    manifestUrl: "https://pods.example/",
    manifestUrlHeader: { Authorization: ["Bearer secret"] },
    fileCheckFrequency: 90,
  };
  const shown = configz({ ...config, sources, effective: [] }, "/var/log/pods");
  expect(shown).toMatchObject({
    kubeletconfig: {
      podLogsDir: "/var/log/pods",
      staticPodURL: "https://pods.example/",
      staticPodURLHeader: { Authorization: ["<masked>"] },
      fileCheckFrequency: "1m30s",
    },
  });
  expect(JSON.stringify(shown)).not.toMatch(/secret|registerWithTaints|kubeReserved|undefined/);
});

test("configz shows the port that has health alone, where there is one", () => {
  const { config } = new TestNode().options();
  const healthz = { address: "192.0.2.1", port: 10_448 };
  expect(configz({ ...config, port: 10_248, healthz }, "/var/log/pods")).toMatchObject({
    kubeletconfig: { healthzPort: 10_448, healthzBindAddress: "192.0.2.1" },
  });
  expect(configz({ ...config, port: 10_248 }, "/var/log/pods")).toMatchObject({
    kubeletconfig: { healthzPort: 10_248, healthzBindAddress: "127.0.0.1" },
  });
});
