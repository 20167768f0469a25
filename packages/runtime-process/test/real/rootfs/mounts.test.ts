import { existsSync } from "node:fs";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { securityContext } from "../../../../testkit/src/runtime-suite/configs.js";
import { isRoot } from "../../harness.js";
import { TestNode } from "../../node.js";

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
});
afterAll(() => node.end());

async function volume(name: string): Promise<string> {
  const path = join(node.directory, name);
  await mkdir(path, { recursive: true });
  return path;
}

describe("image host changes nothing on the machine", () => {
  test.each(["/hooklet-test-file", "/tmp/hooklet-test-file", "/dev/hooklet-test-file", "/dev/shm/hooklet-test-file"])(
    "%s is the container's own",
    async (name) => {
      // What another broken run left is not this one's fault.
      const path = `${name}-${process.pid}`;
      expect(await node.output(`echo mine > ${path} && cat ${path}`)).toBe("mine\n");
      expect(existsSync(path)).toBe(false);
    },
  );

  test("a new mount point is not left behind", async () => {
    const data = await volume("point");
    await node.ended(await node.sh("true", { mounts: [node.mount(data, "/hooklet-a/b/c")] }));
    expect(existsSync("/hooklet-a")).toBe(false);
  });
});

test("devices work: null takes, zero gives, a terminal can be opened", async () => {
  const script = "echo x > /dev/null && head -c 3 /dev/zero | od -An -tx1 && test -c /dev/ptmx && test -L /dev/stdout";
  expect(await node.output(script)).toBe(" 00 00 00\n");
});

test("a mount inside another mount appears there, in any given order", async () => {
  const [outer, inner] = [await volume("outer"), await volume("inner")];
  await writeFile(join(inner, "f"), "inner");
  const mounts = [node.mount(inner, "/data/sub"), node.mount(outer, "/data")];
  expect(await node.output("cat /data/sub/f", { mounts })).toBe("inner");
});

describe("symbolic links never lead a mount out of the container's root", () => {
  test("a link in a volume is followed inside the container", async () => {
    const [outer, inner, outside] = [await volume("l-outer"), await volume("l-inner"), await volume("l-outside")];
    await symlink(outside, join(outer, "link"));
    await writeFile(join(inner, "f"), "inner");
    const mounts = [node.mount(outer, "/data"), node.mount(inner, "/data/link/deep")];
    // The link's target is an absolute path of the container, which is new there.
    expect(await node.output(`cat /data/link/deep/f; ls -A ${outside}`, { mounts })).toBe("innerdeep\n");
    expect(existsSync(join(outside, "deep"))).toBe(false);
  });

  test("a link with too many levels is refused", async () => {
    const outer = await volume("loop");
    await symlink("loop", join(outer, "loop"));
    const mounts = [node.mount(outer, "/data"), node.mount(outer, "/data/loop/x")];
    const id = await node.create(["/bin/true"], { mounts });
    await expect(node.runtime.startContainer(id)).rejects.toThrow(/too many levels of symbolic links/);
  });

  test("a link that is put in the way after the check is not followed by the mount either", async () => {
    const [outer, inner, target] = [await volume("r-outer"), await volume("r-inner"), await volume("r-target")];
    await mkdir(join(outer, "sub"));
    await writeFile(join(inner, "f"), "inner");
    const mounts = [node.mount(outer, "/data"), node.mount(inner, "/data/sub")];
    // A hostile neighbour swaps the folder for a link as often as it can.
    let stop = false;
    const swapping = (async () => {
      while (!stop) {
        await rm(join(outer, "sub"), { recursive: true, force: true }).catch(() => {});
        await symlink(target, join(outer, "sub")).catch(() => {});
        await rm(join(outer, "sub"), { force: true }).catch(() => {});
        await mkdir(join(outer, "sub")).catch(() => {});
      }
    })();
    for (let round = 0; round < 8; round++) {
      const id = await node.create(["/bin/sh", "-c", `cat ${target}/f 2>/dev/null`], { mounts });
      const refused = await node.runtime.startContainer(id).then(
        () => false,
        () => true,
      );
      // The link's absolute target in the container may be mounted on; the machine's own folder may not.
      if (!refused) await node.ended(id);
    }
    stop = true;
    await swapping;
    expect(existsSync(join(target, "f"))).toBe(false);
  });

  test("a path with .. stays in the root", async () => {
    const data = await volume("dots");
    const mounts = [node.mount(data, "/../../../hooklet-dots")];
    expect(await node.output("test -d /hooklet-dots && echo there", { mounts })).toBe("there\n");
    expect(existsSync("/hooklet-dots")).toBe(false);
  });
});

test.each([
  ["a file on a directory", "/etc", "file"],
  ["a directory on a file", "/etc/passwd", "directory"],
])("%s is refused with the reason", async (_name, containerPath, kind) => {
  const source = join(node.directory, `kind-${kind}`);
  if (kind === "file") await writeFile(source, "");
  else await mkdir(source);
  const id = await node.create(["/bin/true"], { mounts: [node.mount(source, containerPath)] });
  await expect(node.runtime.startContainer(id)).rejects.toThrow(
    new RegExp(`cannot mount on ${containerPath}: expected a ${kind}`),
  );
  expect(await node.runtime.containerStatus(id)).toMatchObject({ exitCode: 128, reason: "StartError" });
});

test("paths with spaces, hashes and backslashes can be mounted", async () => {
  const source = await volume("a b\\040#c\td");
  await writeFile(join(source, "f"), "odd");
  expect(await node.output("cat '/o d\\d#/f'", { mounts: [node.mount(source, "/o d\\d#")] })).toBe("odd");
});

test("readOnlyRootFilesystem leaves volumes writable", async () => {
  const data = await volume("ro");
  const linux = { resources: {}, securityContext: { ...securityContext, readonlyRootfs: true } };
  const out = await node.output("touch /x 2>/dev/null || echo refused; echo ok > /data/f", {
    linux,
    mounts: [node.mount(data, "/data")],
  });
  expect(out).toBe("refused\n");
  expect(await readFile(join(data, "f"), "utf8")).toBe("ok\n");
});

test("masked paths show nothing and read-only paths refuse writes", async () => {
  const security = {
    ...securityContext,
    maskedPaths: ["/proc/version", "/etc/default"],
    readonlyPaths: ["/var/tmp", "/no/such"],
  };
  const out = await node.output("cat /proc/version; ls -A /etc/default; touch /var/tmp/x 2>/dev/null || echo refused", {
    linux: { resources: {}, securityContext: security },
  });
  expect(out).toBe("refused\n");
});

test("the pod's name servers and name are in /etc", async () => {
  const sandbox = await node.sandbox({
    hostname: "my-pod",
    dns: { servers: ["192.0.2.1"], searches: ["a.example", "b.example"], options: ["ndots:5"] },
  });
  const id = await node.create(["/bin/cat", "/etc/resolv.conf", "/etc/hostname"], {}, sandbox);
  await node.runtime.startContainer(id);
  expect(await node.log(await node.ended(id))).toBe(
    "search a.example b.example\nnameserver 192.0.2.1\noptions ndots:5\nmy-pod\n",
  );
});

(isRoot ? test : test.skip)("nothing of a container is mounted on the machine but its pod's /dev/shm", async () => {
  const id = await node.sh("sleep 300", { mounts: [node.mount(await volume("leak"), "/data")] });
  const mounted = (await readFile("/proc/mounts", "utf8")).split("\n").filter((line) => line.includes(node.directory));
  expect(mounted.filter((line) => !/\/sandboxes\/[0-9a-f]{64}\/shm tmpfs /.test(line))).toEqual([]);
  await node.runtime.stopContainer(id, 0);
});
