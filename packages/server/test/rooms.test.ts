/** Whose connection gives way to whose. */
import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import { expect, test } from "@jest/globals";
import { Rooms } from "../src/rooms.js";

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

function building<R extends string>(places: Readonly<Record<R, number>>, first: NoInfer<R>) {
  const server = new EventEmitter();
  const rooms = new Rooms(server as unknown as Server, places, first);
  const come = (port: number, address?: string): FakeSocket => {
    const socket = new FakeSocket(port, address);
    server.emit("connection", socket);
    return socket;
  };
  return { rooms, come };
}

const gone = (sockets: readonly FakeSocket[]): readonly boolean[] => sockets.map(({ destroyed }) => destroyed);

test("of too many in a room the oldest one gives way", () => {
  const { come } = building({ all: 3 }, "all");
  expect(gone([1, 2, 3, 4, 5].map((port) => come(port)))).toEqual([true, true, false, false, false]);
});

test("who comes into one room takes no place of another", () => {
  const { rooms, come } = building({ strangers: 2, known: 8 }, "strangers");
  const sessions = [1, 2, 3].map((port) => {
    const socket = come(port);
    rooms.enter(socket, "known");
    return socket;
  });
  const strangers = [4, 5, 6, 7].map((port) => come(port));
  expect([gone(sessions), gone(strangers)]).toEqual([
    [false, false, false],
    [true, true, false, false],
  ]);
});

test("whoever goes to a full room ends the oldest there, and his old place is free", () => {
  const { rooms, come } = building({ strangers: 1, known: 1 }, "strangers");
  const [first, second] = [come(1), come(2)];
  expect(gone([first, second])).toEqual([true, false]);
  rooms.enter(second, "known");
  const third = come(3);
  expect(gone([second, third])).toEqual([false, false]);
  rooms.enter(third, "known");
  expect(gone([second, third, come(4)])).toEqual([true, false, false]);
});

test("who is in a room already stays where he is in its line", () => {
  const { rooms, come } = building({ all: 2 }, "all");
  const [first, second] = [come(1), come(2)];
  rooms.enter(first, "all");
  expect(gone([come(3), first, second])).toEqual([false, true, false]);
});

test("who opens many connections pushes out its own: one of another address stays", () => {
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
