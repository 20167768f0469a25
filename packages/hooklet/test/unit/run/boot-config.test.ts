/** What the start of the node finds too large is a fault at its place in the configuration. */
import { isConfigFaultsError } from "@hooklet/config";
import { type Overcommitted, OvercommittedError } from "@hooklet/core/internal";
import { expect, test } from "@jest/globals";
import { portNumber, withPlaces } from "../../../src/run/boot-config.js";

const cpu: Overcommitted = {
  resource: "cpu",
  reserved: "9",
  capacity: "4",
  settings: ["node.systemReserved.cpu", "node.kubeReserved.cpu"],
};

async function faultsOf(
  effective: readonly { path: string; value: unknown; origin: string }[],
  ...overcommitted: readonly Overcommitted[]
) {
  const work = Promise.reject(new OvercommittedError(overcommitted));
  const error: unknown = await withPlaces({ effective }, work).catch((cause: unknown) => cause);
  if (!isConfigFaultsError(error)) throw error;
  return error.faults;
}

const system = { path: "node.systemReserved.cpu", value: "5", origin: "/etc/rc.yaml:3" };
const kube = { path: "node.kubeReserved.cpu", value: 4, origin: "default" };

test("the first of the settings that is there is named with file and line, the others with what they are in all", async () => {
  expect(await faultsOf([kube, system], cpu)).toEqual([
    {
      file: "/etc/rc.yaml",
      line: 3,
      path: "node.systemReserved.cpu",
      expected: "at most 4, the cpu of this node, together with node.kubeReserved.cpu (9 in all)",
      found: "5",
    },
  ]);
  expect(await faultsOf([kube], cpu)).toEqual([
    {
      file: "default",
      path: "node.kubeReserved.cpu",
      expected: "at most 4, the cpu of this node, together with node.systemReserved.cpu (9 in all)",
      found: "4",
    },
  ]);
});

test("several others are all named", async () => {
  const settings = ["node.systemReserved.cpu", "node.kubeReserved.cpu", "node.reservedSystemCPUs"];
  expect(await faultsOf([system], { ...cpu, settings })).toMatchObject([
    {
      expected:
        "at most 4, the cpu of this node, together with node.kubeReserved.cpu and node.reservedSystemCPUs (9 in all)",
    },
  ]);
});

test("one setting alone has no sum", async () => {
  expect(await faultsOf([system], { ...cpu, settings: ["node.systemReserved.cpu"] })).toMatchObject([
    { expected: "at most 4, the cpu of this node", found: "5" },
  ]);
});

test("a list of CPUs stands for the reserved cpu, unless it is empty", async () => {
  const list = (value: string) => ({ path: "node.reservedSystemCPUs", value, origin: "/etc/rc.yaml:9" });
  const alone = { ...cpu, settings: ["node.systemReserved.cpu"] };
  expect(await faultsOf([system, list("0-8")], alone)).toMatchObject([
    { path: "node.reservedSystemCPUs", line: 9, found: "0-8" },
  ]);
  expect(await faultsOf([list(""), system], alone)).toMatchObject([{ path: "node.systemReserved.cpu", line: 3 }]);
  expect(await faultsOf([list("0-8"), kube], { ...cpu, settings: ["node.kubeReserved.cpu"] })).toMatchObject([
    { path: "node.kubeReserved.cpu" },
  ]);
});

test("without any setting the node is named, and each resource is a fault of its own", async () => {
  const memory = { ...cpu, resource: "memory", settings: [] };
  expect(await faultsOf([], memory, { ...memory, resource: "pids" })).toEqual([
    { file: "default", path: "node", expected: "at most 4, the memory of this node", found: "9" },
    { file: "default", path: "node", expected: "at most 4, the pids of this node", found: "9" },
  ]);
});

test("what goes well, and what fails otherwise, stays as it is", async () => {
  expect(await withPlaces({ effective: [] }, Promise.resolve(7))).toBe(7);
  const other = new Error("no disk");
  await expect(withPlaces({ effective: [] }, Promise.reject(other))).rejects.toBe(other);
});

test.each(["0", "1", "65535", "00080"])("--port %s is taken", (text) => expect(portNumber(text)).toBe(Number(text)));

test.each(["65536", "-1", "", " 80", "80 ", "1e3", "000080", "8o"])("--port %j is refused", (text) =>
  expect(() => portNumber(text)).toThrow(/^--port: expected a port number from 1 to 65535, or 0 for none/),
);
