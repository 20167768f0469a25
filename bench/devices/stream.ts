/** ListAndWatch over a real socket: the demo plugin in its own process tells of all its devices again after each change. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Device } from "@hooklet/plugin-devices";
import { Connections, realIo } from "@hooklet/plugin-devices/internal";
import { systemClock } from "@hooklet/utils";
import { median } from "../statistics.js";

const demo = fileURLToPath(new URL("../../../examples/device-plugin/dist/main.js", import.meta.url));

/** From the line typed into the plugin to the report in the hands of the manager: the plugin's own time is in it. */
export async function stream(count: number, reported: (devices: readonly Device[]) => void): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "hkb-"));
  const io = realIo(systemClock);
  let next: (() => void) | undefined;
  const report = (): Promise<void> => new Promise((resolve) => (next = resolve));
  const connections = new Connections({
    clock: systemClock,
    dial: (socket, _, signal) => io.dial(socket, signal),
    connected: () => {},
    reported(_, devices) {
      reported(devices);
      next?.();
    },
    disconnected: () => {},
  });
  const server = await io.serveRegistration(path.join(folder, "kubelet.sock"), (request, from) =>
    connections.register(request, from),
  );
  const devices = Array.from({ length: count }, (_, index) => ["--device", `gpu-${index},numa=${index % 2}`]).flat();
  const first = report();
  const plugin = spawn(process.execPath, [demo, "--folder", folder, ...devices], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  try {
    await first;
    const times: number[] = [];
    for (let round = 0; round < 10; round++) {
      const heard = report();
      const began = performance.now();
      plugin.stdin.write(`gpu-0 ${round % 2 === 0 ? "Unhealthy" : "Healthy"}\n`);
      await heard;
      times.push(performance.now() - began);
    }
    return median(times).toFixed(2);
  } finally {
    plugin.kill("SIGKILL");
    connections.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
