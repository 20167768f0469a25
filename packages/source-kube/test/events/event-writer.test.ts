import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import type { Event } from "kubernetes-types/core/v1.js";
import { ApiError } from "../../src/client/api-error.js";
import { EventWriter, type EventWriterPorts } from "../../src/events/event-writer.js";

const event = (name: string): Event => ({
  metadata: { name, namespace: "default" },
  involvedObject: { kind: "Pod", namespace: "default", name, uid: name },
  reason: "Started",
  message: name,
  type: "Normal",
});

async function told(reason: string): Promise<{ sent: readonly string[]; dropped: readonly string[] }> {
  const clock = new VirtualClock();
  const [sent, dropped]: [string[], string[]] = [[], []];
  const ending = new AbortController();
  const client = {
    create: async (_path: string, { metadata }: Event) => {
      if (metadata.name === "heavy") throw new ApiError(0, reason, "no answer");
      sent.push(metadata.name ?? "");
    },
    pause: (milliseconds: number) =>
      new Promise<void>((resolve) => {
        clock.schedule(milliseconds, resolve);
      }),
  } as unknown as EventWriterPorts["client"];
  const writer = new EventWriter({ client, clock, signal: ending.signal, dropped: (why) => dropped.push(why) });
  for (const name of ["heavy", "light"]) writer.add(event(name));
  await clock.advance(600_000);
  ending.abort();
  return { sent, dropped };
}

test.each(["Timeout", "TooLong", "BadAnswer"])(
  "an event that never gets a right answer (%s) is dropped in the end, and holds no other up for ever",
  async (reason) => {
    expect(await told(reason)).toEqual({ sent: ["light"], dropped: ["tries"] });
  },
);

test.each(["Unreachable", "NoCredentials"])(
  "a server that is away (%s) is waited for: nothing is dropped",
  async (reason) => {
    expect(await told(reason)).toEqual({ sent: [], dropped: [] });
  },
);
