/** Clients of 10250 whose machine is gone: only the kernel notices, with keep-alive. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { FakeAgent } from "../../fake-agent.js";
import { startNodeServer } from "./start-node-server.js";

/** Of the kernel's table: the timer that runs for the server's end of a connection. 2 is the one of keep-alive. */
function timerOf(server: number, client: number): string | undefined {
  const hex = (port: number): string => `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync("/proc/self/net/tcp", "utf8").split("\n");
  const cells = rows.map((row) => row.trim().split(/\s+/));
  return cells.find(([, local, remote]) => local?.endsWith(hex(server)) && remote?.endsWith(hex(client)))?.[5];
}

/** Waits for what the kernel tells a moment later than it has it. */
async function isAskedByKernel(local: number, remote: number): Promise<boolean> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (timerOf(local, remote)?.startsWith("02:")) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}

/** Whether the kernel tells of its timers at all: a sandbox may write zeros there. */
async function kernelTells(): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", keepAlive: true, keepAliveInitialDelay: 15_000 });
  try {
    await once(socket, "connect");
    return await isAskedByKernel((socket.address() as AddressInfo).port, port);
  } finally {
    socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

((await kernelTells()) ? test : test.skip)("a silent connection is asked whether it is still there", async () => {
  const node = await startNodeServer(new FakeAgent());
  const server = Number(new URL(node.url).port);
  const socket = connect(server, "127.0.0.1");
  try {
    await once(socket, "connect");
    expect(await isAskedByKernel(server, (socket.address() as AddressInfo).port)).toBe(true);
  } finally {
    socket.destroy();
    await node.stop();
  }
});
