/** Clients of 10250 whose machine is gone: nobody tells of it but the kernel, when it is asked to look. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { expect, test } from "@jest/globals";
import { FakeAgent } from "../fake-agent.js";
import { startNodeServer } from "./start-node-server.js";

/** Of the kernel's table: the timer that runs for the server's end of a connection. 2 is the one of keep-alive. */
function timerOf(server: number, client: number): string | undefined {
  const hex = (port: number): string => `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync("/proc/self/net/tcp", "utf8").split("\n");
  const cells = rows.map((row) => row.trim().split(/\s+/));
  return cells.find(([, local, remote]) => local?.endsWith(hex(server)) && remote?.endsWith(hex(client)))?.[5];
}

(process.platform === "linux" ? test : test.skip)(
  "a silent connection is asked whether it is still there",
  async () => {
    const node = await startNodeServer(new FakeAgent());
    try {
      const server = Number(new URL(node.url).port);
      const socket = connect(server, "127.0.0.1");
      await once(socket, "connect");
      const client = (socket.address() as AddressInfo).port;
      let timer = timerOf(server, client);
      // It is taken a moment later than the kernel has it.
      for (let tries = 0; tries < 6_000 && !timer?.startsWith("02:"); tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        timer = timerOf(server, client);
      }
      expect(timer).toMatch(/^02:/);
      socket.destroy();
    } finally {
      await node.stop();
    }
  },
);
