/** Certificate and key on disk, as client-go's file store has them. */
import { mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isNodeAgentError } from "@hooklet/core";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { PairStore } from "../../../src/certificates/pair-store.js";
import { pairOf } from "./sign.js";

let folder: string;
let pki: string;
let now: number;
let store: PairStore;
const mode = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-pair-"));
  pki = path.join(folder, "a/pki");
  now = Date.UTC(2026, 0, 31, 12, 5, 9);
  store = new PairStore(pki, "kubelet-client", { now: () => now });
});

afterEach(() => rm(folder, { recursive: true }));

test("where there is none yet it says so, and a key that nothing waits for is none", async () => {
  expect([await store.current(), await store.pendingKey()]).toEqual([undefined, undefined]);
  await store.dropPendingKey();
});

test("a new pair is the current one: a link to a file with its time in UTC, for its owner alone", async () => {
  const made = await pairOf();
  const pair = await store.update(made);
  expect(pair).toMatchObject({ ...made, subject: ["O=system:nodes", "CN=system:node:node1"] });
  expect(store.currentPath).toBe(path.join(pki, "kubelet-client-current.pem"));
  expect(await readlink(store.currentPath)).toBe("kubelet-client-2026-01-31-12-05-09.pem");
  expect(await readFile(store.currentPath, "utf8")).toBe(`${made.cert}${made.key}`);
  expect([await mode(pki), await mode(store.currentPath)]).toEqual([0o700, 0o600]);
  expect(await store.current()).toEqual(pair);
});

test("of older pairs one is kept; other files stay", async () => {
  const others = ["kubelet-server-2025-01-01-00-00-00.pem", "kubelet-client-old.pem", "kubelet-client-2025-01-01.pem"];
  for (const month of [0, 1, 2]) {
    now = Date.UTC(2026, month, 1);
    await store.update(await pairOf());
    if (month === 0) for (const name of others) await writeFile(path.join(pki, name), "");
  }
  expect((await readdir(pki)).sort()).toEqual(
    [
      ...others,
      "kubelet-client-2026-02-01-00-00-00.pem",
      "kubelet-client-2026-03-01-00-00-00.pem",
      "kubelet-client-current.pem",
    ].sort(),
  );
});

test("a clock that was set back keeps the new pair, and the newest of the others", async () => {
  for (const year of [2026, 2028, 2025]) {
    now = Date.UTC(year, 0, 1);
    await store.update(await pairOf());
  }
  expect(await readlink(store.currentPath)).toBe("kubelet-client-2025-01-01-00-00-00.pem");
  expect((await readdir(pki)).filter((name) => /\d/.test(name)).sort()).toEqual([
    "kubelet-client-2025-01-01-00-00-00.pem",
    "kubelet-client-2028-01-01-00-00-00.pem",
  ]);
});

test("a link that an earlier agent did not come to rename is no obstacle", async () => {
  await store.update(await pairOf());
  await writeFile(path.join(pki, "kubelet-client-updated.pem"), "left");
  now += 1_000;
  await store.update(await pairOf());
  expect(await readdir(pki)).not.toContain("kubelet-client-updated.pem");
});

test("a certificate that is not of its key is refused, and the current one stays", async () => {
  const [good, other] = [await pairOf(), await pairOf()];
  await store.update(good);
  const error: unknown = await store.update({ cert: other.cert, key: good.key }).catch((cause: unknown) => cause);
  expect(isNodeAgentError(error, "INVALID")).toBe(true);
  expect((error as Error).message).toContain(`a new certificate for ${store.currentPath}: expected`);
  expect((await store.current())?.cert).toBe(good.cert);
});

test("a current file that is no pair is an error with its path", async () => {
  await store.update(await pairOf());
  await writeFile(store.currentPath, "no PEM");
  await expect(store.current()).rejects.toThrow(`${store.currentPath}: expected a certificate and its key in PEM`);
});

test("the key of a request is kept for its owner alone until it is dropped", async () => {
  await store.keepPendingKey("a key");
  expect(await readdir(pki)).toEqual(["kubelet-client.key.tmp"]);
  expect([await mode(pki), await mode(path.join(pki, "kubelet-client.key.tmp"))]).toEqual([0o700, 0o600]);
  expect(await store.pendingKey()).toBe("a key");
  await store.dropPendingKey();
  expect(await store.pendingKey()).toBeUndefined();
});
