import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import type { EventPorts } from "../../../src/events/hub.js";
import { lastingStream } from "../../../src/events/sources.js";

test("a runtime that does not answer is reported once, and once more when it does again", async () => {
  const clock = new VirtualClock();
  const reports: string[] = [];
  let answers = true;
  let end: () => void = () => undefined;
  const ports = {
    clock,
    client: {
      stream: (_rpc: string, _request: object, on: { ended(): void }) => {
        end = on.ended;
        return () => undefined;
      },
    },
    calls: { call: async () => (answers ? {} : Promise.reject(new Error("no containerd"))) },
  } as unknown as EventPorts;
  const close = lastingStream(
    ports,
    "GetContainerEvents",
    {},
    {
      gap: () => void reports.push("gap"),
      away: (error) => void reports.push(String(error)),
      back: () => void reports.push("back"),
    },
    () => undefined,
  );
  end();
  await clock.advance(10_000);
  expect(reports).toEqual(["gap"]);
  answers = false;
  end();
  await clock.advance(10_000);
  expect(reports).toEqual(["gap", "Error: no containerd"]);
  answers = true;
  await clock.advance(10_000);
  expect(reports).toEqual(["gap", "Error: no containerd", "back", "gap"]);
  close();
});
