/** Whose connection gives way to whose. */
import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import { expect, test } from "@jest/globals";
import { Pools } from "../../src/connection-limits.js";

class FakeSocket extends EventEmitter {
  destroyed = false;
  constructor(
    readonly remotePort: number,
    readonly remoteAddress = "192.0.2.1",
  ) {
    super();
  }

  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

function building<Pool extends string>(sizes: Readonly<Record<Pool, number>>, first: NoInfer<Pool>) {
  const server = new EventEmitter();
  const pools = new Pools(server as unknown as Server, sizes, first);
  const come = (port: number, address?: string): FakeSocket => {
    const socket = new FakeSocket(port, address);
    server.emit("connection", socket);
    return socket;
  };
  return { pools, come };
}

const gone = (sockets: readonly FakeSocket[]): readonly boolean[] => sockets.map(({ destroyed }) => destroyed);

test("of too many in a pool the oldest one is closed", () => {
  const { come } = building({ all: 3 }, "all");
  expect(gone([1, 2, 3, 4, 5].map((port) => come(port)))).toEqual([true, true, false, false, false]);
});

test("a connection in one pool takes no place of another", () => {
  const { pools, come } = building({ strangers: 2, known: 8 }, "strangers");
  const sessions = [1, 2, 3].map((port) => {
    const socket = come(port);
    pools.enter(socket, "known");
    return socket;
  });
  const strangers = [4, 5, 6, 7].map((port) => come(port));
  expect([gone(sessions), gone(strangers)]).toEqual([
    [false, false, false],
    [true, true, false, false],
  ]);
});

test("a connection that moves to a full pool closes the oldest there, and its old place is free", () => {
  const { pools, come } = building({ strangers: 1, known: 1 }, "strangers");
  const [first, second] = [come(1), come(2)];
  expect(gone([first, second])).toEqual([true, false]);
  pools.enter(second, "known");
  const third = come(3);
  expect(gone([second, third])).toEqual([false, false]);
  pools.enter(third, "known");
  expect(gone([second, third, come(4)])).toEqual([true, false, false]);
});

test("a connection that is in a pool already keeps its place in line", () => {
  const { pools, come } = building({ all: 2 }, "all");
  const [first, second] = [come(1), come(2)];
  pools.enter(first, "all");
  expect(gone([come(3), first, second])).toEqual([false, true, false]);
});

test("a client with many connections loses its own: one of another address stays", () => {
  const { come } = building({ strangers: 10 }, "strangers");
  const alone = come(1, "192.0.2.9");
  const crowd = Array.from({ length: 50 }, (_, i) => come(1_000 + i, "192.0.2.1"));
  expect(alone.destroyed).toBe(false);
  expect(gone(crowd)).toEqual([...Array(41).fill(true), ...Array(9).fill(false)]);
});

test("a connection that has closed holds no place", () => {
  const { come } = building({ all: 2 }, "all");
  const [first, second] = [come(1), come(2)];
  first.destroy();
  expect(gone([come(3), second])).toEqual([false, false]);
});
