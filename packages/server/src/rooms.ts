/** Places for connections, in rooms: whoever is in one takes none of another's, and who comes into a full one ends the oldest there. */
import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";

type Named = Pick<Socket, "remoteAddress" | "remotePort">;

export class Rooms<Room extends string> {
  readonly #inside = new Map<Room, Map<string, Socket>>();

  /** @param first the room of every new connection */
  constructor(
    server: Pick<EventEmitter, "on">,
    private readonly places: Readonly<Record<Room, number>>,
    first: NoInfer<Room>,
  ) {
    for (const room of Object.keys(places) as Room[]) this.#inside.set(room, new Map());
    server.on("connection", (socket: Socket) => {
      const key = keyOf(socket);
      this.#take(first, key, socket);
      socket.once("close", () => {
        for (const room of this.#inside.values()) if (room.get(key) === socket) room.delete(key);
      });
    });
  }

  /** @param socket the connection, or TLS upon it */
  enter(socket: Named, room: Room): void {
    const key = keyOf(socket);
    for (const [other, inside] of this.#inside) {
      const raw = inside.get(key);
      if (raw === undefined || other === room) continue;
      inside.delete(key);
      this.#take(room, key, raw);
    }
  }

  /** One machine pushes out its own: of the address that has most the one that has been there longest. Nobody who holds or opens many keeps others out. */
  #take(room: Room, key: string, socket: Socket): void {
    const inside = this.#inside.get(room) as Map<string, Socket>;
    inside.set(key, socket);
    if (inside.size > this.places[room]) oldestOfMost([...inside.values()])?.destroy();
  }
}

function oldestOfMost(sockets: readonly Socket[]): Socket | undefined {
  const counts = new Map<string | undefined, number>();
  for (const { remoteAddress } of sockets) counts.set(remoteAddress, (counts.get(remoteAddress) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return sockets.find(({ remoteAddress }) => counts.get(remoteAddress) === most);
}

let unnamed = 0;

/** The same for a connection and for TLS upon it. Those of unix sockets have no address. */
function keyOf({ remoteAddress, remotePort }: Named): string {
  if (remotePort !== undefined) return `${remoteAddress} ${remotePort}`;
  unnamed += 1;
  return `unnamed ${unnamed}`;
}
