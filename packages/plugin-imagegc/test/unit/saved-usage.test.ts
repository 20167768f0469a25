import { expect, test } from "@jest/globals";
import { SteadyTime } from "../../src/saved-usage.js";

test("a wall clock that jumps a day makes no image older, and shown times follow the current clock", () => {
  const machine = { wall: 1_000_000, uptime: 50 };
  const time = new SteadyTime({ now: () => machine.wall, monotonic: () => machine.uptime });
  const before = time.now();
  expect(before).toBe(1_000_000);
  machine.uptime += 10;
  machine.wall += 24 * 3_600_000 + 10;
  expect(time.now() - before).toBe(10);
  expect(time.wall(before)).toBe(machine.wall - 10);
  machine.wall -= 48 * 3_600_000;
  expect(time.now() - before).toBe(10);
  expect(time.wall(before)).toBe(machine.wall - 10);
});
