import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { listenPrivately, occupantOf, socketIdentity } from "../../src/unix-socket.js";

let folder: string;
let server: Server;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hk-sock-"));
  server = createServer();
});
afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const listen = (path: string): Promise<void> => new Promise((resolve) => server.listen(path, resolve));
const mode = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe("a socket of our own", () => {
  test("is made out of reach of others: born in a directory of mode 0700, 0600 when it is at its place", async () => {
    await chmod(folder, 0o777);
    const path = join(folder, "s.sock");
    let nursery = "";
    const socket = await listenPrivately(
      path,
      async (newborn) => {
        nursery = await mode(join(newborn, ".."));
        await listen(newborn);
      },
      "",
    );
    expect([nursery, await mode(path), await socket.isThere()]).toEqual(["700", "600", true]);
    await socket.remove();
    expect(await occupantOf(path)).toBe("absent");
  });

  test("is not removed when another one is in its place", async () => {
    const path = join(folder, "s.sock");
    const socket = await listenPrivately(path, listen, "");
    const other = createServer();
    await listenPrivately(path, (newborn) => new Promise<void>((resolve) => other.listen(newborn, resolve)), "");
    expect(await socket.isThere()).toBe(false);
    await socket.remove();
    expect(await occupantOf(path)).toBe("living");
    other.close();
  });

  test("is not confused with its replacement, whatever inode that one got", async () => {
    const path = join(folder, "s.sock");
    await listenPrivately(path, listen, "");
    const seen = new Set([await socketIdentity(path)]);
    for (let round = 0; round < 5; round++) {
      await rm(path, { force: true });
      // The kernel's time of a file goes on a few milliseconds at a time.
      await new Promise((resolve) => setTimeout(resolve, 25));
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(path, resolve));
      seen.add(await socketIdentity(path));
      await new Promise((resolve) => other.close(resolve));
    }
    expect(seen.size).toBe(6);
    await rm(path, { force: true });
    expect(await socketIdentity(path)).toBeUndefined();
  });

  test("at a path that the kernel does not take is refused with the number of bytes, and nothing is left behind", async () => {
    const path = join(folder, "x".repeat(110));
    await expect(listenPrivately(path, listen, "Choose another.")).rejects.toThrow(
      /its path has \d+ bytes, the kernel takes 107. Choose another.$/,
    );
    expect(await occupantOf(path)).toBe("absent");
  });
});

describe("the occupant of a path", () => {
  test("a living program, a dead one, something that is no socket, none", async () => {
    const path = join(folder, "s.sock");
    expect(await occupantOf(path)).toBe("absent");
    await listenPrivately(path, listen, "");
    expect(await occupantOf(path)).toBe("living");
    await new Promise((resolve) => server.close(resolve));
    expect(await occupantOf(path)).toBe("dead");
    await rm(path);
    await writeFile(path, "");
    expect(await occupantOf(path)).toBe("other");
  });
});
