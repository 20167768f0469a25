/** `hooklet get devices`, and the live part of `hooklet explain device` and `hooklet explain pod`. */
import { aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { Inventory } from "../../src/device/inventory.js";
import { PodDevices } from "../../src/device/pod-devices.js";
import type { DeviceManager } from "../../src/manager/device-manager.js";
import { devicesView, explainDevice, explainPod } from "../../src/view.js";

const GPU = "vendor.example/gpu";
const NIC = "vendor.example/nic";
const device = (id: string, health = "Healthy", nodes: readonly number[] = []) => ({ id, health, nodes });

const web = aPod({ name: "web", uid: "web-uid" });
const pods = { get: (uid: string) => (uid === "web-uid" ? web : undefined) };
const { namespace } = web.metadata;

interface Held {
  readonly podUid?: string;
  readonly container?: string;
  readonly resource?: string;
  readonly ids: readonly string[];
}

/** Two resources, of which one's plugin has gone. */
function managerWith(...held: readonly Held[]): DeviceManager {
  const inventory = new Inventory();
  inventory.connected(GPU);
  inventory.reported(GPU, [device("g0", "Healthy", [0, 1]), device("g1", "broken")]);
  inventory.connected(NIC);
  inventory.reported(NIC, [device("n0")]);
  inventory.disconnected(NIC, 0);
  const records = new PodDevices();
  for (const { podUid = "web-uid", container = "main", resource = GPU, ids } of held)
    records.insert({
      podUid,
      container,
      resource,
      devices: new Map([[-1, ids]]) as never,
      response: undefined,
      encoded: undefined,
    });
  return { inventory, records } as unknown as DeviceManager;
}
const viewOf = (...held: readonly Held[]) => devicesView(() => managerWith(...held), pods as never);

describe("get devices", () => {
  test("the columns, and those that only -o wide has", () => {
    const { columns } = viewOf();
    const named = (wide: boolean) => columns.filter((one) => (one.wide ?? false) === wide).map(({ name }) => name);
    expect([named(false), named(true)]).toEqual([
      ["resource", "id", "numa", "health", "pod", "container"],
      ["namespace", "uid"],
    ]);
  });

  test("each device with its health: what its plugin says, or that the plugin has gone", async () => {
    const free = { pod: "", container: "", namespace: "", uid: "" };
    expect(await viewOf().rows()).toEqual([
      { resource: GPU, id: "g0", numa: "0,1", health: "Healthy", ...free },
      { resource: GPU, id: "g1", numa: "", health: "Unhealthy", ...free },
      { resource: NIC, id: "n0", numa: "", health: "PluginGone", ...free },
    ]);
  });

  test("one that several containers have has a line for each", async () => {
    const rows = await viewOf({ ids: ["g0"] }, { container: "side", ids: ["g0"] }).rows();
    expect(rows.filter(({ id }) => id === "g0")).toEqual([
      expect.objectContaining({ pod: "web", container: "main", namespace, uid: "web-uid" }),
      expect.objectContaining({ pod: "web", container: "side", namespace, uid: "web-uid" }),
    ]);
  });

  test("one that is held and that no plugin names stands behind the others, with an owner that may be gone", async () => {
    const rows = await viewOf({ ids: ["lost"], podUid: "gone-uid" }, { resource: "a.example/x", ids: ["x0"] }).rows();
    expect(rows.map(({ resource, id, health, pod, uid }) => [resource, id, health, pod, uid])).toEqual([
      ["a.example/x", "x0", "Unknown", "web", "web-uid"],
      [GPU, "g0", "Healthy", "", ""],
      [GPU, "g1", "Unhealthy", "", ""],
      [GPU, "lost", "Unknown", "", "gone-uid"],
      [NIC, "n0", "PluginGone", "", ""],
    ]);
  });
});

describe("explain device", () => {
  const explained = (name: string, ...held: readonly Held[]) =>
    explainDevice(managerWith(...held), pods as never, "devices", 7, name);

  test.each(["g0", `${GPU}/g0`])("by %s: its health, its NUMA nodes and its holder", (name) => {
    expect(explained(name, { ids: ["g0"] })).toEqual([
      {
        at: 7,
        plugin: "devices",
        strategy: "now",
        subject: `device/${GPU}/g0`,
        considered: [
          { candidate: "health", verdict: "Healthy", why: "its plugin's last report says so" },
          { candidate: "NUMA node", verdict: "0,1", why: "as its plugin reports" },
        ],
        outcome: `held by container main of pod ${namespace}/web`,
      },
    ]);
  });

  test.each([
    ["g1", "Unhealthy", "its plugin's last report says another word than Healthy", "free"],
    ["n0", "PluginGone", "its plugin is not connected: no pod gets it until the plugin is back", "free"],
    ["lost", "Unknown", "its plugin's last report does not name it", "held by container main of pod gone-uid"],
  ])("%s is %s", (name, verdict, why, outcome) => {
    expect(explained(name, { podUid: "gone-uid", ids: ["lost"] })).toEqual([
      expect.objectContaining({ considered: [{ candidate: "health", verdict, why }], outcome }),
    ]);
  });

  test("there is nothing to tell of one that is not there", () => {
    expect(explained("g2")).toEqual([]);
  });
});

describe("explain pod", () => {
  const explained = (name: string, ...held: readonly Held[]) =>
    explainPod(managerWith(...held), pods as never, "devices", 7, name);

  test.each(["web", `${namespace}/web`])("by %s: its devices", (name) => {
    expect(explained(name, { ids: ["g0"] }, { resource: NIC, ids: ["n0"] })).toEqual([
      {
        at: 7,
        plugin: "devices",
        strategy: "now",
        subject: `pod/${namespace}/web`,
        considered: [
          { candidate: `device/${GPU}/g0`, verdict: "Healthy", why: "held by container main" },
          { candidate: `device/${NIC}/n0`, verdict: "PluginGone", why: "held by container main" },
        ],
        outcome: "2 devices held",
      },
    ]);
  });

  test("there is nothing to tell of one without devices", () => {
    expect([explained("web"), explained("other", { ids: ["g0"] })]).toEqual([[], []]);
  });
});
