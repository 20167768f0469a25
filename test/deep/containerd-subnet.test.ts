/** The network that scripts/containerd.mjs gives the pods of an instance. */
import { expect, test } from "@jest/globals";
import { freeSubnet } from "../../scripts/containerd/subnet.mjs";

test("an instance has the same network each time while no other has it", () => {
  expect(freeSubnet("rest", [])).toBe(freeSubnet("rest", ["2: eth0 inet 192.0.2.2/24"]));
});

test("two instances whose names lead to the same network have one each", () => {
  expect(freeSubnet("hour", [])).toBe(freeSubnet("rest", []));
  const first = freeSubnet("hour", []);
  const second = freeSubnet("rest", [`{"subnet": "${first}"}`]);
  expect(second).not.toBe(first);
  expect(second).toMatch(/^10\.2\d\d\.0\.0\/16$/);
});

test("an address of the machine in it counts, one that only resembles it does not", () => {
  const first = freeSubnet("test", []);
  expect(freeSubnet("test", [`5: br0 inet ${first.replace("0.0/16", "7.1/24")} scope global`])).not.toBe(first);
  expect(freeSubnet("test", [`5: br0 inet 1${first}`, `6: br1 inet 9.${first}`])).toBe(first);
});

test("when all are taken it is an error", () => {
  const all = Array.from({ length: 40 }, (_, index) => `10.${200 + index}.0.1/16`);
  expect(() => freeSubnet("test", all)).toThrow("all networks from 10.200.0.0/16 to 10.239.0.0/16 are in use");
});
