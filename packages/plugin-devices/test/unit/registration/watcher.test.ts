/** What is done about the sockets of the watched folder, without sockets. */
import { VirtualClock } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { type PluginInfo, PluginWatcher } from "../../../src/registration/watcher.js";
import { GPU } from "../../devices.js";

const info: PluginInfo = { type: "DevicePlugin", name: GPU, endpoint: "", supportedVersions: ["v1beta1"] };
const socket = (identity = "1", path = "/reg/gpu.sock") => ({ path, identity });

function watcher(answer: () => Promise<PluginInfo> = async () => info) {
  const clock = new VirtualClock();
  const reported: string[] = [];
  const one = new PluginWatcher({
    clock,
    getInfo(path) {
      reported.push(`ask ${path}`);
      return answer();
    },
    notify: async (_, error) => void reported.push(`notify ${error ?? "registered"}`),
    connect: async (resource, path) => void reported.push(`connect ${resource} ${path}`),
    disconnect: (resource) => void reported.push(`disconnect ${resource}`),
    failed: (_, why) => void reported.push(`failed ${why}`),
  });
  return { clock, reported, look: (...sockets: ReturnType<typeof socket>[]) => one.look(sockets) };
}

const registered = ["ask /reg/gpu.sock", `connect ${GPU} /reg/gpu.sock`, "notify registered"];

describe("a socket in the watched folder", () => {
  test("is registered once, under its own path when the plugin names no other", async () => {
    const { reported, look } = watcher();
    await look(socket());
    await look(socket());
    expect(reported).toEqual(registered);
  });

  test("that is another one than before is registered again, after the first was dropped", async () => {
    const { reported, look } = watcher();
    await look(socket("1"));
    await look(socket("2"));
    expect(reported).toEqual([...registered, `disconnect ${GPU}`, ...registered]);
  });

  test("that goes before it was ever registered lets nothing go", async () => {
    const { reported, look } = watcher(() => Promise.reject(new Error("nobody")));
    await look(socket());
    await look();
    expect(reported).toEqual(["ask /reg/gpu.sock", "failed nobody"]);
  });

  test("that fails is tried again after 1 s, then twice as long each time, up to two minutes", async () => {
    const { clock, reported, look } = watcher(() => Promise.reject(new Error("nobody")));
    const at: number[] = [];
    const began = clock.monotonic();
    for (let second = 0; second < 600; second++) {
      const before = reported.length;
      await look(socket());
      if (reported.length > before) at.push((clock.monotonic() - began) / 1000);
      await clock.advance(1_000);
    }
    const gaps = at.slice(1).map((time, index) => time - (at[index] as number));
    expect(gaps).toEqual([1, 2, 4, 8, 16, 32, 64, 120, 120, 120]);
  });

  test("that hangs keeps no other one from being registered, and is not asked twice at a time", async () => {
    let first = true;
    const { reported, look } = watcher(() => {
      if (!first) return Promise.resolve(info);
      first = false;
      return new Promise(() => {});
    });
    const slow = socket("1", "/reg/slow.sock");
    void look(slow, socket());
    await look(slow, socket());
    await look(slow, socket());
    expect(reported.filter((line) => line === "ask /reg/slow.sock")).toHaveLength(1);
    expect(reported).toContain(`connect ${GPU} /reg/gpu.sock`);
  });
});
