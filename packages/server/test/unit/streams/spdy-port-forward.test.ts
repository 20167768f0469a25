/** Forwarded connections over SPDY: what a client costs the pod. */
import { Duplex } from "node:stream";
import { expect, test } from "@jest/globals";
import { portForwarder } from "../../../src/streams/spdy-port-forward.js";

/** One end of something: what is written to it is heard there. */
class End extends Duplex {
  heard = "";

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.heard += chunk;
    done();
  }
}

/** A pod whose connections are made, and destroyed ones closed, when the test says so. */
class Pod {
  readonly asked: { readonly settle: (end: End) => void; readonly refuse: (error: Error) => void }[] = [];
  /** Asked for and not closed. */
  held = 0;
  most = 0;

  readonly open = (): Promise<Duplex> => {
    this.held += 1;
    this.most = Math.max(this.most, this.held);
    return new Promise((settle, refuse) => this.asked.push({ settle, refuse }));
  };

  /** Makes the connection that was asked for first. */
  make(): End {
    const end = new End();
    end.once("close", () => {
      this.held -= 1;
    });
    this.asked.shift()?.settle(end);
    return end;
  }

  refuse(): void {
    this.held -= 1;
    this.asked.shift()?.refuse(new Error("connection refused"));
  }
}

function client(pod: Pod) {
  const take = portForwarder(pod.open);
  let streams = 0;
  let next = 0;
  const pair = (): readonly End[] => {
    next += 1;
    const made = ["error", "data"].map((kind) => {
      const stream = new End();
      streams += 1;
      stream.once("close", () => {
        streams -= 1;
      });
      take(
        new Map([
          ["streamtype", kind],
          ["port", "80"],
          ["requestid", String(next)],
        ]),
        stream,
      );
      return stream;
    });
    return made;
  };
  return { pair, open: () => streams };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function breakOff(streams: readonly End[]): void {
  for (const stream of streams) stream.destroy();
}

test("a client that breaks off its pairs while they are being connected has no more connections than streams", async () => {
  const pod = new Pod();
  const { pair, open } = client(pod);
  const kept = Array.from({ length: 10 }, pair);
  for (let round = 0; round < 50; round += 1) {
    breakOff(pair());
    await settled();
    expect(pod.held).toBeLessThanOrEqual(open() + 2);
  }
  expect(kept.flat().every((stream) => !stream.destroyed)).toBe(true);
  expect(pod.most).toBeLessThanOrEqual(22);
});

test("a pair that had to wait is connected once others are gone", async () => {
  const pod = new Pod();
  const { pair } = client(pod);
  // Each is broken off with its connection on the way.
  for (let round = 0; round < 5; round += 1) {
    breakOff(pair());
    await settled();
  }
  const before = pod.asked.length;
  const last = pair();
  await settled();
  const waits = pod.asked.length === before;
  while (pod.asked.length > 1) {
    if (pod.asked.length % 2 === 0) pod.refuse();
    else pod.make();
    await settled();
  }
  const end = pod.make();
  end.push("hello");
  while (last[1]?.heard !== "hello") await settled();
  expect(waits).toBe(true);
  expect(last.some((stream) => stream.destroyed)).toBe(false);
});

test("a pair that is broken off while it waits is never connected", async () => {
  const pod = new Pod();
  const { pair } = client(pod);
  for (let round = 0; round < 5; round += 1) {
    breakOff(pair());
    await settled();
  }
  breakOff(pair());
  const before = pod.asked.length;
  while (pod.asked.length > 0) {
    pod.make();
    await settled();
  }
  expect(before).toBeLessThanOrEqual(2);
  expect(pod.held).toBe(0);
});

test("connections one after the other are never held up: one that is over takes no room", async () => {
  const pod = new Pod();
  const { pair } = client(pod);
  for (let round = 0; round < 5; round += 1) {
    const streams = pair();
    await settled();
    expect(pod.asked).toHaveLength(1);
    const end = pod.make();
    await settled();
    end.destroy();
    await settled();
    expect(streams.every((stream) => stream.writableEnded)).toBe(true);
    breakOff(streams);
    await settled();
  }
});

test.each<readonly [what: string, ...streams: readonly (readonly [kind: string, port: string])[]]>([
  ["a port that is none", ["data", "0"]],
  ["a port that is no number", ["data", "http"]],
  ["a port above 65535", ["data", "65536"]],
  ["a stream of another kind", ["output", "80"]],
  ["a second stream of the same kind in one pair", ["data", "80"], ["data", "80"]],
  ["another port than the pair's", ["data", "80"], ["error", "81"]],
])("%s: the stream is refused, and nothing is asked of the pod", (_, ...streams) => {
  const pod = new Pod();
  const forward = portForwarder(pod.open);
  const ends = streams.map(([kind, port]) => {
    const end = new End();
    forward(new Map(Object.entries({ streamtype: kind, port, requestid: "1" })), end);
    return end;
  });
  expect([ends.map(({ destroyed }) => destroyed), pod.asked.length]).toEqual([
    ends.map((__, at) => at === ends.length - 1),
    0,
  ]);
});

test("a refused connection is named on the pair's error stream, and both streams end", async () => {
  const pod = new Pod();
  const forward = portForwarder(pod.open);
  const [data, error] = [new End(), new End()];
  forward(
    new Map([
      ["streamtype", "error"],
      ["port", "80"],
    ]),
    error,
  );
  forward(
    new Map([
      ["streamtype", "data"],
      ["port", "80"],
    ]),
    data,
  );
  await new Promise((resolve) => setImmediate(resolve));
  pod.refuse();
  await new Promise((resolve) => setImmediate(resolve));
  expect([error.heard, data.writableEnded, error.writableEnded]).toEqual([
    "error forwarding port 80: connection refused",
    true,
    true,
  ]);
});
