import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { CredentialFiles } from "../../../src/client/credentials.js";

let folder: string;
let clock: VirtualClock;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-credentials-"));
  clock = new VirtualClock();
});
afterEach(() => rm(folder, { recursive: true }));

const kubeconfig = (cluster = "", user = "") => `
clusters: [{name: c, cluster: {server: "https://api:6443"${cluster}}}]
users: [{name: u, user: {${user}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`;
const put = (name: string, text: string) => writeFile(path.join(folder, name), text);
const files = (pair?: string) =>
  new CredentialFiles(path.join(folder, "config"), clock, pair === undefined ? undefined : path.join(folder, pair));

test("certificates, key and token come from the files that the kubeconfig names", async () => {
  await put(
    "config",
    kubeconfig(
      ", certificate-authority: ca, tls-server-name: kubernetes",
      "client-certificate: cert, client-key: key, tokenFile: token",
    ),
  );
  for (const name of ["ca", "cert", "key"]) await put(name, `${name} text\n`);
  await put("token", " t1\n");
  expect(await files().current()).toEqual({
    server: "https://api:6443",
    rejectUnauthorized: true,
    ca: "ca text\n",
    cert: "cert text\n",
    key: "key text\n",
    servername: "kubernetes",
    token: "t1",
    identity: expect.stringMatching(/^[\da-f]{64}$/),
  });
});

test("what a kubeconfig leaves out is left out; insecure-skip-tls-verify takes any certificate", async () => {
  await put("config", kubeconfig(", insecure-skip-tls-verify: true"));
  expect(await files().current()).toEqual({
    server: "https://api:6443",
    rejectUnauthorized: false,
    identity: expect.any(String),
  });
});

test("what was read counts for a minute; a rejected request reads again", async () => {
  await put("config", kubeconfig("", "token: one"));
  const own = files();
  expect((await own.current()).token).toBe("one");
  await put("config", kubeconfig("", "token: two"));
  await clock.advance(59_999);
  expect((await own.current()).token).toBe("one");
  await clock.advance(1);
  expect((await own.current()).token).toBe("two");
  await put("config", kubeconfig("", "token: three"));
  own.doubt();
  expect((await own.current()).token).toBe("three");
});

test("callers at one moment share one reading", async () => {
  await put("config", kubeconfig());
  const own = files();
  const [a, b] = await Promise.all([own.current(), own.current()]);
  expect(a).toBe(b);
});

test.each([
  { name: "another token needs no other connection", user: "token: b", calls: 0 },
  { name: "another certificate does", user: "client-certificate: cert, client-key: key, token: a", calls: 1 },
])("$name", async ({ user, calls }) => {
  await put("config", kubeconfig("", "token: a"));
  await put("cert", "c");
  await put("key", "k");
  const own = files();
  let heard = 0;
  own.watch(() => {
    heard += 1;
  });
  await own.current();
  await put("config", kubeconfig("", user));
  own.doubt();
  await own.current();
  expect(heard).toBe(calls);
});

test("files that cannot be read: the first time an error that names them, later the previous credentials count", async () => {
  await expect(files().current()).rejects.toThrow(`Cannot read the kubeconfig ${path.join(folder, "config")}: ENOENT`);
  await put("config", kubeconfig("", "tokenFile: token"));
  await expect(files().current()).rejects.toThrow(`Cannot read the token ${path.join(folder, "token")}: ENOENT`);
  await put("token", "t");
  const own = files();
  await own.current();
  await rm(path.join(folder, "token"));
  own.doubt();
  expect((await own.current()).token).toBe("t");
});

test("a file past four MiB is refused", async () => {
  await put("config", kubeconfig("", "tokenFile: token"));
  await put("token", "t".repeat(4 * 1024 * 1024));
  expect((await files().current()).token).toHaveLength(4 * 1024 * 1024);
  await put("token", "t".repeat(4 * 1024 * 1024 + 1));
  await expect(files().current()).rejects.toThrow("the token: expected a file of at most 4194304 bytes, found 4194305");
});

test("a damaged rotated pair is left alone: the kubeconfig's own certificate counts", async () => {
  await put("config", kubeconfig("", "client-certificate: cert, client-key: key"));
  await put("cert", "c");
  await put("key", "k");
  await put("pair.pem", "no certificate");
  expect(await files("pair.pem").current()).toMatchObject({ cert: "c", key: "k" });
  expect(await files("none.pem").current()).toMatchObject({ cert: "c", key: "k" });
});
