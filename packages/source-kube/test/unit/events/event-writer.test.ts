import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import type { Event } from "kubernetes-types/core/v1.js";
import { ApiError } from "../../../src/client/api-error.js";
import { EventWriter, type EventWriterPorts } from "../../../src/events/event-writer.js";

const event = (name: string): Event => ({
  metadata: { name, namespace: "default" },
  involvedObject: { kind: "Pod", namespace: "default", name, uid: name },
  reason: "Started",
  message: name,
  type: "Normal",
});

interface Sent {
  readonly do: "create" | "patch";
  readonly name: string;
  readonly count: number | undefined;
}

/** A server that is away until `back`. */
function away() {
  const clock = new VirtualClock();
  const [sent, dropped]: [Sent[], string[]] = [[], []];
  const state = { isAway: true };
  const take = (what: Sent["do"], name: string, count: number | undefined): void => {
    if (state.isAway) throw new ApiError(0, "Unreachable", "no answer");
    sent.push({ do: what, name, count });
  };
  const client = {
    create: async (_path: string, { metadata, count }: Event) => take("create", metadata.name ?? "", count),
    patch: async (path: string, { count }: Event) => take("patch", path.split("/").at(-1) ?? "", count),
    pause: (milliseconds: number) =>
      new Promise<void>((resolve) => {
        clock.schedule(milliseconds, resolve);
      }),
  } as unknown as EventWriterPorts["client"];
  const { signal } = new AbortController();
  const writer = new EventWriter({ client, clock, signal, dropped: (why) => dropped.push(why) });
  const back = async (): Promise<void> => {
    state.isAway = false;
    await clock.advance(60_000);
  };
  const leave = (): void => {
    state.isAway = true;
  };
  return { clock, writer, sent, dropped, back, leave };
}

async function reported(reason: string): Promise<{ sent: readonly string[]; dropped: readonly string[] }> {
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
  "an event that never gets a right answer (%s) is dropped in the end, and blocks no other forever",
  async (reason) => {
    expect(await reported(reason)).toEqual({ sent: ["light"], dropped: ["tries"] });
  },
);

test.each(["Unreachable", "NoCredentials"])(
  "a server that is away (%s) is waited for: nothing is dropped",
  async (reason) => {
    expect(await reported(reason)).toEqual({ sent: [], dropped: [] });
  },
);

test("repeats that wait for a server are written as one with its count, in the place of the newest", async () => {
  const { clock, writer, sent, dropped, back } = away();
  for (let times = 0; times < 4; times += 1) {
    for (const name of ["first", "second"]) writer.add(event(name));
    await clock.advance(1_000);
  }
  writer.add(event("third"));
  writer.add(event("second"));
  await back();
  expect(sent).toEqual([
    // On its way since the server went.
    { do: "create", name: "first", count: 1 },
    { do: "patch", name: "first", count: 4 },
    { do: "create", name: "third", count: 1 },
    { do: "create", name: "second", count: 5 },
  ]);
  expect(dropped).toEqual([]);
});

test("a flood is judged by the time of the events: an hour's events of one pod are not too many when they are written at once", async () => {
  const { clock, writer, sent, dropped, back } = away();
  writer.add(event("other"));
  for (let number = 0; number < 30; number += 1) {
    writer.add({ ...event("pod"), reason: `Reason${number}` });
    await clock.advance(120_000);
  }
  await back();
  expect(sent).toHaveLength(31);
  expect(dropped).toEqual([]);
});

test("an event that a server took in the end is counted on from there", async () => {
  const { clock, writer, sent, back } = away();
  writer.add(event("pod"));
  await clock.advance(30_000);
  await back();
  writer.add(event("pod"));
  await clock.advance(1_000);
  expect(sent).toEqual([
    { do: "create", name: "pod", count: 1 },
    { do: "patch", name: "pod", count: 2 },
  ]);
});

test("a thousand different events wait; repeats of these are counted all the same, others are dropped", async () => {
  const { clock, writer, sent, dropped, back } = away();
  writer.add(event("on its way"));
  await clock.advance(1);
  for (let number = 0; number < 1_001; number += 1) writer.add(event(`pod-${number}`));
  writer.add(event("pod-0"));
  expect(dropped).toEqual(["queue"]);
  await back();
  expect(sent).toHaveLength(1_001);
  expect(sent.at(-1)).toEqual({ do: "create", name: "pod-0", count: 2 });
});

test("an event that the API has is counted on, though a full queue kept one of its repeats out", async () => {
  const { clock, writer, sent, dropped, back, leave } = away();
  await back();
  writer.add(event("old"));
  await clock.advance(1);
  leave();
  writer.add(event("on its way"));
  await clock.advance(1);
  for (let number = 0; number < 1_000; number += 1) writer.add(event(`pod-${number}`));
  writer.add(event("old"));
  expect(dropped).toEqual(["queue"]);
  await back();
  writer.add(event("old"));
  await clock.advance(1);
  expect([sent[0], sent.at(-1)]).toEqual([
    { do: "create", name: "old", count: 1 },
    { do: "patch", name: "old", count: 3 },
  ]);
});

test("an event that comes at the very moment after the last write is written as well", async () => {
  for (let turns = 0; turns < 30; turns += 1) {
    const sent: string[] = [];
    let answer: () => void = () => undefined;
    const client = {
      create: (_path: string, { metadata }: Event) => {
        sent.push(metadata.name ?? "");
        return new Promise<void>((resolve) => {
          answer = resolve;
        });
      },
    } as unknown as EventWriterPorts["client"];
    const { signal } = new AbortController();
    const writer = new EventWriter({ client, clock: new VirtualClock(), signal, dropped: () => undefined });
    writer.add(event("first"));
    answer();
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    writer.add(event("second"));
    await new Promise((resolve) => setImmediate(resolve));
    expect([turns, sent]).toEqual([turns, ["first", "second"]]);
  }
});

test.each([
  [404, ["patch", "create"], []],
  [409, ["patch"], ["refused"]],
  [500, ["patch", "patch"], []],
])("an update that is answered with %i: %j", async (status, asked, dropped) => {
  const clock = new VirtualClock();
  const [sent, lost]: [string[], string[]] = [[], []];
  const ending = new AbortController();
  let fails = false;
  const client = {
    create: async () => void sent.push("create"),
    patch: async () => {
      sent.push("patch");
      const isFirst = fails;
      fails = false;
      if (isFirst) throw new ApiError(status, "", "no");
    },
    pause: (milliseconds: number) => new Promise<void>((resolve) => void clock.schedule(milliseconds, resolve)),
  } as unknown as EventWriterPorts["client"];
  const writer = new EventWriter({ client, clock, signal: ending.signal, dropped: (why) => lost.push(why) });
  writer.add(event("a"));
  await clock.advance(1_000);
  fails = true;
  writer.add(event("a"));
  await clock.advance(60_000);
  expect([sent, lost]).toEqual([["create", ...asked], dropped]);
  ending.abort();
});
