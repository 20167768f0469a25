/** The network that scripts/containerd.mjs gives the pods of an instance. */
import { expect, test } from "@jest/globals";
// @ts-expect-error a script without types
import { freeSubnet } from "../../scripts/containerd/subnet.mjs";

const free = freeSubnet as (name: string, taken: readonly string[]) => string;

test("an instance has the same network each time while nobody else has it", () => {
  expect(free("rest", [])).toBe(free("rest", ["2: eth0 inet 192.0.2.2/24"]));
});

test("two instances whose names lead to the same network have one each", () => {
  expect(free("hour", [])).toBe(free("rest", []));
  const first = free("hour", []);
  const second = free("rest", [`{"subnet": "${first}"}`]);
  expect(second).not.toBe(first);
  expect(second).toMatch(/^10\.2\d\d\.0\.0\/16$/);
});

test("an address of the machine in it counts, one that only looks like it does not", () => {
  const first = free("test", []);
  expect(free("test", [`5: br0 inet ${first.replace("0.0/16", "7.1/24")} scope global`])).not.toBe(first);
  expect(free("test", [`5: br0 inet 1${first}`, `6: br1 inet 9.${first}`])).toBe(first);
});

test("where all are taken it says so", () => {
  const all = Array.from({ length: 40 }, (_, index) => `10.${200 + index}.0.1/16`);
  expect(() => free("test", all)).toThrow("all networks from 10.200.0.0/16 to 10.239.0.0/16 are in use");
});
