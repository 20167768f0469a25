/** Commands on several pods or containers at once, and on names as people write them. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { FakeAgent } from "../../../server/test/fake-agent.js";
import { aPod } from "../../../server/test/samples.js";
import { startFake, temporaryFolder } from "../../../server/test/start.js";
import { eventually, fakeIo, hooklet, type Result } from "../cli.js";

async function node(): Promise<{
  api: FakeAgent;
  socket: string;
  folder: string;
  run(words: string): Promise<Result>;
}> {
  const api = new FakeAgent();
  const { socket } = await startFake(api);
  const folder = await temporaryFolder();
  const log = async (key: string, text: string): Promise<void> => {
    const path = join(folder, key.replace("/", "-"));
    await writeFile(path, text);
    api.logFiles[key] = { path, format: "raw", ended: () => true };
  };
  const containers = [
    { name: "main", image: "host" },
    { name: "side", image: "host" },
  ];
  api.setPods([
    aPod("web", { metadata: { labels: { app: "web" } }, spec: { containers } }),
    aPod("db", { metadata: { labels: { app: "db" } } }),
  ]);
  await log("web/main", "one\ntwo\nhalf");
  await log("web/side", "aside\n");
  await log("db/main", "stored\n");
  return { api, socket, folder, run: (words) => hooklet(words, fakeIo({ HOOKLET_SOCKET: socket })) };
}

describe("logs", () => {
  test("of one container are handed on byte by byte", async () => {
    const { run } = await node();
    expect(await run("logs pod/web -c main")).toEqual({ code: 0, out: "one\ntwo\nhalf", err: "" });
  });

  test("of all containers come one after the other, in whole lines", async () => {
    const { run } = await node();
    expect((await run("logs web --all-containers")).out).toBe("one\ntwo\nhalf\naside\n");
    expect((await run("logs web --all-containers --prefix")).out).toBe(
      "[pod/web/main] one\n[pod/web/main] two\n[pod/web/main] half\n[pod/web/side] aside\n",
    );
  });

  test("by labels are the last ten lines of each pod that has them", async () => {
    const { run } = await node();
    expect((await run("logs -l app=db --prefix")).out).toBe("[pod/db/main] stored\n");
    expect((await run("logs -l app")).out).toContain("stored");
    expect(await run("logs -l app=nothing")).toMatchObject({
      code: 1,
      err: expect.stringContaining("No resources found"),
    });
  });

  test.each(["", " -f", " --previous"])("whose file is gone are an error, also with%s", async (how) => {
    const { api, folder, run } = await node();
    const path = join(folder, "gone/0.log");
    api.logFiles["db/main"] = { path, format: "raw", ended: () => false };
    expect(await run(`logs db -c main${how}`)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining(`symlinks in path "${path}": lstat ${join(folder, "gone")}: no such file`),
    });
  });

  test("of too many at once are refused with the number", async () => {
    const { run } = await node();
    expect((await run("logs -f web --all-containers --max-log-requests 1")).err).toContain(
      "at most 1 containers at once",
    );
    expect((await run("logs -f web --all-containers")).code).toBe(0);
  });

  test("need a name or labels, and not both", async () => {
    const { run } = await node();
    expect((await run("logs")).code).toBe(1);
    expect((await run("logs web -l app=web")).code).toBe(1);
  });
});

describe("attach", () => {
  test("shows what is written from now on", async () => {
    const { api, run, folder } = await node();
    api.logFiles["db/main"] = { path: join(folder, "db-main"), format: "raw", ended: () => true };
    expect(await run("attach pod/db")).toEqual({
      code: 0,
      out: "",
      err: "Attached to pod db: what it writes from now on is shown; Ctrl-C leaves.\n",
    });
  });

  test("says before it begins that there is no input to hand on", async () => {
    const { run } = await node();
    const { err } = await run("attach -it db");
    expect(err).toContain("attach shows what a container writes from now on; it has no -i and no -t: ");
    expect(err).toContain("hooklet exec -it db -- sh");
  });
});

describe("describe", () => {
  test("without a name is about all pods, with labels about those that have them", async () => {
    const { run } = await node();
    const names = async (words: string): Promise<readonly string[]> =>
      [...(await run(words)).out.matchAll(/^Name: +(.*)$/gm)].map(([, name = ""]) => name);
    expect(await names("describe pods")).toEqual(["web", "db"]);
    expect(await names("describe pods -l app=db")).toEqual(["db"]);
    expect(await names("describe db")).toEqual(["db"]);
    expect(await names("describe pod/db web")).toEqual(["db", "web"]);
    expect((await run("describe nonsense")).err).toContain("pod [NAME...]");
  });
});

describe("wait", () => {
  test("ends at once where it holds already", async () => {
    const { run } = await node();
    expect(await run("wait --for condition=Ready pod web db")).toEqual({
      code: 0,
      out: "pod/web condition met\npod/db condition met\n",
      err: "",
    });
    expect((await run("wait --for=jsonpath={.status.phase}=Running pod/web")).code).toBe(0);
    expect((await run("wait --for delete pod/gone")).out).toBe("pod/gone deleted\n");
  });

  test("ends once it holds", async () => {
    const { api, socket } = await node();
    const io = fakeIo({ HOOKLET_SOCKET: socket });
    const waited = hooklet("wait --for delete pod/db", io);
    await eventually(() => expect(api.listeners).toBe(1));
    api.setPods(api.list.filter(({ metadata }) => metadata.name !== "db"));
    expect(await waited).toMatchObject({ code: 0, out: "pod/db deleted\n" });
  });

  test("ends with 1 after the timeout, naming each that it waits for", async () => {
    const { run } = await node();
    const { code, err } = await run("wait --for condition=Ready=false pod/web pod/db --timeout 1s");
    expect(code).toBe(1);
    expect(err).toBe(
      "error: timed out waiting for condition=Ready=false on pods/web\nerror: timed out waiting for condition=Ready=false on pods/db\n",
    );
  });

  test("for an unknown pod or goal is refused", async () => {
    const { run } = await node();
    expect((await run("wait --for condition=Ready pod/nope")).code).toBe(1);
    expect((await run("wait --for luck pod/web")).err).toContain("condition=NAME");
  });
});

test("a folder is applied by its manifests, in the order of their names", async () => {
  const { api, folder, run } = await node();
  await writeFile(join(folder, "b.yaml"), "kind: Pod");
  await writeFile(join(folder, "a.json"), "{}");
  await run(`apply -f ${folder}`);
  expect(api.calls).toEqual([
    ["apply", 2, join(folder, "a.json")],
    ["apply", 9, join(folder, "b.yaml")],
  ]);
});
