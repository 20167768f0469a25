import { expect, test } from "@jest/globals";
import { HeldPorts } from "../../../src/handlers/probe-connection.js";

test("at 600 connections a second there are never more than 12 000 closed ones that hold a port", () => {
  const ports = new HeldPorts();
  /** Per second: the system holds a port for 60 s. */
  const taken = new Uint16Array(180);
  let most = 0;
  for (let second = 0; second < taken.length; second++) {
    for (let i = 0; i < 600; i++) if (ports.take(second * 1_000 + i)) taken[second] = (taken[second] ?? 0) + 1;
    most = Math.max(
      most,
      taken.subarray(Math.max(0, second - 60), second + 1).reduce((sum, one) => sum + one, 0),
    );
  }
  expect(most).toBe(12_000);
});

test("at 100 connections a second every one is closed cleanly", () => {
  const ports = new HeldPorts();
  let refused = 0;
  for (let now = 0; now < 300_000; now += 10) if (!ports.take(now)) refused++;
  expect(refused).toBe(0);
});

test("after a long silence all ports are free again", () => {
  const ports = new HeldPorts();
  while (ports.take(1_000));
  expect(ports.take(50_000)).toBe(false);
  expect(ports.take(10_000_000)).toBe(true);
});
