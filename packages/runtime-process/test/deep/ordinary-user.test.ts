/** Runs a part of this package's tests again as an ordinary user, when they run as root. */
import { execFile } from "node:child_process";
import { chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { isRoot } from "../harness.js";

const NOBODY = 65534;
/** Nothing is compiled yet in this user's cache. */
const LIMIT = 420_000;
const workspace = join(import.meta.dirname, "../../../..");
/** It ends with its parent. */
const asNobody = ["--pdeathsig", "KILL", "--reuid", String(NOBODY), "--regid", String(NOBODY), "--clear-groups"];
const run = promisify(execFile);

/** The checkout may lie in a folder that is closed for others. */
const readable =
  isRoot &&
  (await run("setpriv", [...asNobody, "test", "-r", join(workspace, "package.json")]).then(
    () => true,
    () => false,
  ));

(readable ? test : test.skip)(
  "an ordinary user gets the same from its user namespace: life, environment, mounts, what is reported of isolation",
  async () => {
    const home = await mkdtemp(join(tmpdir(), "hooklet-nobody-"));
    // Root has something mounted behind a folder that is closed for others, as Docker and a kubelet have.
    const closed = await mkdtemp("/var/tmp/hooklet-closed-");
    try {
      await chown(home, NOBODY, NOBODY);
      await mkdir(join(closed, "inner"));
      const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home };
      const tests = [
        "real/container/life",
        "deep/container/without-namespaces",
        "real/rootfs/mounts",
        "real/rootfs/reach",
        "real/isolation",
        "real/pull/pull",
      ];
      const jest = [
        join(workspace, "node_modules/jest/bin/jest.js"),
        "--cacheDirectory",
        join(home, "cache"),
        "--silent",
        "--maxWorkers=1",
      ];
      const files = tests.map((name) => `packages/runtime-process/test/${name}`);
      const mounted = ["-m", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', join(closed, "inner")];
      const result = await run("unshare", [...mounted, "setpriv", ...asNobody, process.execPath, ...jest, ...files], {
        cwd: workspace,
        env,
        timeout: LIMIT,
      }).catch((error: { stderr: string }) => error);
      expect(result.stderr).toMatch(/^Tests:\s+(?:\d+ skipped, )?(\d+) passed, \d+ total$/m);
    } finally {
      await rm(home, { recursive: true, force: true });
      await rm(closed, { recursive: true, force: true });
    }
  },
  LIMIT + 10_000,
);
