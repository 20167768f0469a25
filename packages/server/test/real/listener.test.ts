import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { httpListener, type Listener } from "../../src/listener.js";

let listener: Listener | undefined;
afterEach(() => listener?.close());

/** The status of a request whose URL has so many letters. */
async function ask(isOpen: boolean, letters: number): Promise<unknown> {
  listener = httpListener({ isOpen });
  await listener.listen({ host: "127.0.0.1", port: 0 });
  const { port } = listener.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path: `/${"a".repeat(letters)}` }, (response) => {
      const { statusCode, headers } = response.resume();
      resolve([statusCode, headers["retry-after"]]);
    });
    asked.once("error", reject).end();
  });
}

test.each([
  { name: "a port", isOpen: true },
  { name: "the agent's socket", isOpen: false },
])("a client that requests $name before the agent serves gets the answer to try again", async ({ isOpen }) => {
  expect(await ask(isOpen, 1)).toEqual([503, "1"]);
});

test("the longest command of exec goes over the agent's socket alone", async () => {
  expect(await ask(false, 500_000)).toEqual([503, "1"]);
  await listener?.close();
  expect(await ask(true, 500_000)).toEqual([431, undefined]);
});

test("a request to a port has a time within which it must have arrived, one over the agent's socket has none", () => {
  expect(httpListener({ isOpen: true }).server.requestTimeout).toBe(30_000);
  expect(httpListener({ isOpen: false }).server.requestTimeout).toBe(0);
});
