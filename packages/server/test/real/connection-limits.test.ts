/** What a parser gets of what a connection brings. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "@jest/globals";
import { inPieces, wholeOnceUpgraded } from "../../src/connection-limits.js";

const servers: Server[] = [];
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listening(answer: RequestListener): Promise<{ readonly server: Server; come(): Promise<Socket> }> {
  const server = createServer(answer);
  inPieces(server, "connection");
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const come = async (): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    clients.push(socket);
    socket.on("error", () => undefined);
    await once(socket, "connect");
    return socket;
  };
  return { server, come };
}

test("once a connection is cut off the rest of the chunk is not parsed", async () => {
  let begun = 0;
  const { come } = await listening(({ socket }) => {
    begun += 1;
    if (begun === 3) socket.destroy();
  });
  const client = await come();
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1_500));
  client.resume();
  await once(client, "close");
  expect(begun).toBeGreaterThanOrEqual(3);
  expect(begun).toBeLessThan(50);
});

test("a body comes as it was sent, however large", async () => {
  const { come } = await listening(async (request, response) => {
    response.end((await text(request)).length.toString());
  });
  const client = await come();
  const body = "x\r\n\r\n".repeat(300_000);
  client.write(
    `POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(await text(client)).toMatch(new RegExp(`\r\n\r\n(?:.*\r\n)?${body.length}\\b`, "s"));
});

test("what comes behind an upgrade is whole and in order, in the same piece and later", async () => {
  const { server, come } = await listening((_request, response) => response.end());
  const sent = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251));
  const got: Buffer[] = [];
  let size = 0;
  let largest = 0;
  const all = new Promise<void>((resolve) => {
    server.on("upgrade", (_request, socket: Socket, head: Buffer) => {
      const take = (chunk: Buffer): void => {
        got.push(chunk);
        size += chunk.length;
        largest = Math.max(largest, chunk.length);
        if (size === sent.length) resolve();
      };
      // An upgraded connection belongs to the test alone.
      socket.on("error", () => undefined).on("end", () => socket.destroy());
      // It is not taken at once: the client is checked first.
      setImmediate(() => {
        take(head);
        socket.on("data", take);
      });
    });
  });
  wholeOnceUpgraded(server);
  const client = await come();
  const head = Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n");
  client.write(Buffer.concat([head, sent.subarray(0, 5_000)]));
  await new Promise((resolve) => setTimeout(resolve, 50));
  client.write(sent.subarray(5_000));
  await all;
  expect(Buffer.concat(got).equals(sent)).toBe(true);
  expect(largest).toBeGreaterThan(4_096);
});
