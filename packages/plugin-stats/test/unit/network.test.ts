import { expect, test } from "@jest/globals";
import { parseInterfaces, readPodNetwork } from "../../src/network.js";
import { networkOf } from "../../src/summary.js";
import { aMachine } from "./world.js";

const dev = (...lines: readonly string[]): string =>
  ["Inter-|   Receive  |  Transmit", " face |bytes packets|bytes packets", ...lines, ""].join("\n");
const line = (name: string): string => `${name}: 876 11 1 2 0 0 0 0 292 4 3 5 0 0 0 0`;

test("interfaces are in their order, without loopback and the host ends of pods' interfaces", () => {
  const names = ["ifb0", "lo", "eth0", "veth12ab", "docker0", "kk0"];
  expect(parseInterfaces(dev(...names.map(line))).map(({ name }) => name)).toEqual(["ifb0", "eth0", "kk0"]);
});

test("bytes, packets, errors and drops are reported for both directions", () => {
  expect(parseInterfaces(dev("  eth0:876 11 1 2 0 0 0 0 292 4 3 5 0 0 0 0"))).toEqual([
    {
      name: "eth0",
      rxBytes: 876,
      rxPackets: 11,
      rxErrors: 1,
      rxDropped: 2,
      txBytes: 292,
      txPackets: 4,
      txErrors: 3,
      txDropped: 5,
    },
  ]);
});

test.each(["", "no such thing", "eth0: 1 2 3"])("%p has no statistics", (text) => {
  expect(parseInterfaces(text)).toEqual([]);
});

test("of a pod with very many interfaces the first ones are reported", () => {
  const lines = Array.from({ length: 100_000 }, (_, index) => `eth${index}: ${"1 ".repeat(16)}`);
  expect(parseInterfaces(lines.join("\n")).map(({ name }) => name)).toEqual(
    Array.from({ length: 64 }, (_, index) => `eth${index}`),
  );
});

test("the default interface is eth0; without one there is only the list", () => {
  const all = parseInterfaces(dev(line("ens3"), line("eth0")));
  expect(networkOf({ at: 0, interfaces: all })).toMatchObject({ name: "eth0", rxBytes: 876 });
  expect(networkOf({ at: 0, interfaces: all.slice(0, 1) })).toEqual({
    time: "1970-01-01T00:00:00Z",
    interfaces: [{ name: "ens3", rxBytes: 876, rxErrors: 1, txBytes: 292, txErrors: 3 }],
  });
});

test.each(["v1", "v2"] as const)(
  "on %s: a pod's network is that of the first process found in its containers",
  (version) => {
    const { host, kernel, layout } = aMachine(version);
    const folder = (name: string): string => `/sys/fs/cgroup${version === "v1" ? "/pids" : ""}/kubepods/podx/${name}`;
    for (const name of ["empty", "main"]) kernel.addFolder(folder(name));
    host.addProcess(77, folder("main"));
    kernel.set("/proc/77/net/dev", dev(line("eth0")));
    const paths = ["/kubepods/podx/empty", "/kubepods/podx/main", "/kubepods/podx/gone"];
    expect(readPodNetwork(kernel, kernel, layout, paths, 5)?.interfaces.map(({ name }) => name)).toEqual(["eth0"]);
    kernel.unset("/proc/77/net/dev");
    expect(readPodNetwork(kernel, kernel, layout, paths, 5)).toBeUndefined();
  },
);
