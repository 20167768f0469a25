/** What a client leaves behind: nothing. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { GrpcClient } from "../../../src/grpc/grpc.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-devices-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a client that is closed before it could connect fails, and never connects to a later server there", async () => {
  const path = join(folder, "s");
  const clients = Array.from({ length: 5 }, () => new GrpcClient(path, systemClock));
  const waits = clients.map((client) => client.ready());
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (const client of clients) client.close();
  for (const wait of waits) await expect(wait).rejects.toThrow("closed before it was connected");
  let connected = 0;
  const server = createServer((socket) => {
    connected += 1;
    socket.destroy();
  }).listen(path);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await new Promise((resolve) => server.close(resolve));
  expect(connected).toBe(0);
});
