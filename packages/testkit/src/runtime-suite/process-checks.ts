import { mkdir, readFile, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { expect } from "../runner.js";
import type { Check } from "./checker.js";
import { securityContext } from "./configs.js";

/** What a container's process sees: arguments, environment, directory, output. */
export function processChecks(check: Check): void {
  check("arguments arrive word for word, with nothing expanded or split", async (world) => {
    const args = ["a b", "", "$HOME", "$(id)", "`id`", "*", "'\"\\", "ünï\tcode", "; exit 9"];
    const output = await world.output(world.programs.printsArguments(), { args });
    expect(output).toBe(args.map((word) => `<${word}>\n`).join(""));
  });

  check("environment variables arrive word for word", async (world) => {
    const value = "a=b; $(id) 'quoted' \"twice\"";
    expect(await world.output(world.programs.printsEnv("GREETING"), { envs: [{ key: "GREETING", value }] })).toBe(
      `${value}\n`,
    );
  });

  check("the agent's own environment does not leak into a container", async (world) => {
    process.env.HOOKLET_CONFORMANCE_SECRET = "leaked";
    try {
      expect(await world.output(world.programs.printsEnv("HOOKLET_CONFORMANCE_SECRET"))).toBe("\n");
    } finally {
      delete process.env.HOOKLET_CONFORMANCE_SECRET;
    }
  });

  check("the working directory is the one that was asked for", async (world) => {
    expect(await world.output(world.programs.printsWorkingDirectory(), { workingDir: "/etc" })).toBe("/etc\n");
  });

  check("standard output and standard error go to the file at the container's log path", async (world) => {
    const { id: sandbox, config } = await world.sandbox();
    const metadata = { name: "main", attempt: 2 };
    const out = await world.ended(await world.start(world.programs.prints("to the file"), { metadata }, sandbox));
    expect(out.logPath).toBe(join(config.logDirectory, "main/2.log"));
    expect(isAbsolute(out.logPath)).toBe(true);
    expect(await world.log(out)).toBe("to the file\n");
    const error = await world.ended(await world.start(world.programs.printsError("a complaint")));
    expect(await world.log(error)).toBe("a complaint\n");
  });

  check("a log file exists as soon as its container has started, also when nothing is written", async (world) => {
    const id = await world.start(world.programs.runsUntilTerm(0));
    expect(await world.log(await world.status(id))).toBe("");
  });
}

/** For runtimes that mount. */
export function mountChecks(check: Check): void {
  check("what a container writes to a mounted directory is on the node, and the other way round", async (world) => {
    const data = join(world.directory, "data");
    await mkdir(data);
    await writeFile(join(data, "from-node"), "hello container");
    const mounts = [world.mount(data, "/hooklet-data")];
    expect(await world.output(world.programs.readsFile("/hooklet-data/from-node"), { mounts })).toBe("hello container");
    const written = await world.ended(
      await world.start(world.programs.writesFile("/hooklet-data/from-container", "hello node"), { mounts }),
    );
    expect(written.exitCode).toBe(0);
    expect(await readFile(join(data, "from-container"), "utf8")).toBe("hello node");
    expect(written.mounts).toMatchObject([{ hostPath: data, containerPath: "/hooklet-data", readonly: false }]);
  });

  check("a read-only mount can be read and not written", async (world) => {
    const data = join(world.directory, "data");
    await mkdir(data);
    await writeFile(join(data, "file"), "as it was");
    const mounts = [{ ...world.mount(data, "/hooklet-data"), readonly: true }];
    expect(await world.output(world.programs.readsFile("/hooklet-data/file"), { mounts })).toBe("as it was");
    const refused = await world.ended(
      await world.start(world.programs.writesFile("/hooklet-data/file", "changed"), { mounts }),
    );
    expect(refused.exitCode).not.toBe(0);
    expect(await readFile(join(data, "file"), "utf8")).toBe("as it was");
  });

  check("a single file can be mounted and written, as the termination log is", async (world) => {
    const file = join(world.directory, "termination-log");
    await writeFile(file, "");
    const mounts = [world.mount(file, "/dev/termination-log")];
    const status = await world.ended(
      await world.start(world.programs.writesFile("/dev/termination-log", "out of cheese"), { mounts }),
    );
    expect(status.exitCode).toBe(0);
    expect(await readFile(file, "utf8")).toBe("out of cheese");
  });

  check("two containers do not see each other's files outside of mounts", async (world) => {
    const { id: sandbox } = await world.sandbox();
    const path = "/tmp/hooklet-conformance-private";
    const first = { metadata: { name: "writer", attempt: 0 } };
    expect(await world.ended(await world.start(world.programs.writesFile(path, "mine"), first, sandbox))).toMatchObject(
      {
        exitCode: 0,
      },
    );
    const reader = await world.ended(await world.start(world.programs.readsFile(path), {}, sandbox));
    expect(reader.exitCode).not.toBe(0);
  });
}

/** For runtimes that can change the user. */
export function userChecks(check: Check): void {
  check("runAsUser is the user id of the process", async (world) => {
    const linux = { resources: {}, securityContext: { ...securityContext, runAsUser: 65_534, runAsGroup: 65_534 } };
    expect(await world.output(world.programs.printsUser(), { linux })).toBe("65534\n");
  });
}
