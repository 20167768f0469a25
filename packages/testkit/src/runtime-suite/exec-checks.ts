import { expect } from "../runner.js";
import { type Check, refused } from "./checker.js";

/** `execSync` and `exec`. */
export function execChecks(check: Check): void {
  check("execSync returns output, errors and exit code apart", async (world) => {
    const id = await world.start(world.programs.runsUntilTerm(0));
    const exec = (command: readonly string[]) => world.settled(world.runtime.execSync(id, command, 10));
    const out = await exec(world.programs.prints("out").command);
    expect([out.stdout.toString(), out.stderr.toString(), out.exitCode]).toEqual(["out\n", "", 0]);
    const error = await exec(world.programs.printsError("err").command);
    expect([error.stdout.toString(), error.stderr.toString(), error.exitCode]).toEqual(["", "err\n", 0]);
  });

  check("a command that fails in execSync is a result, not an error", async (world) => {
    const id = await world.start(world.programs.runsUntilTerm(0));
    const result = await world.settled(world.runtime.execSync(id, world.programs.exits(42).command, 0));
    expect(result.exitCode).toBe(42);
  });

  check("execSync past its timeout is refused as deadline-exceeded, and the container runs on", async (world) => {
    const id = await world.start(world.programs.runsUntilTerm(0));
    const started = world.harness.clock.monotonic();
    await refused(world, world.runtime.execSync(id, world.programs.ignoresTerm().command, 1), "deadline-exceeded");
    const took = world.harness.clock.monotonic() - started;
    expect(took).toBeGreaterThanOrEqual(990);
    expect(took).toBeLessThan(9000);
    expect((await world.status(id)).state).toBe("CONTAINER_RUNNING");
  });

  check("a command in execSync has the container's environment", async (world) => {
    const id = await world.start(world.programs.runsUntilTerm(0), { envs: [{ key: "COLOUR", value: "dark green" }] });
    const result = await world.settled(world.runtime.execSync(id, world.programs.printsEnv("COLOUR").command, 10));
    expect(result.stdout.toString()).toBe("dark green\n");
  });

  check("execSync in a container that has ended is refused", async (world) => {
    const id = await world.start(world.programs.exits(0));
    await world.ended(id);
    await refused(world, world.runtime.execSync(id, world.programs.prints("ghost").command, 1));
  });

  check("a command that does not exist never looks like success in execSync", async (world) => {
    const id = await world.start(world.programs.runsUntilTerm(0));
    const outcome = world.runtime.execSync(id, world.programs.missing().command, 10).then(
      (result) => result.exitCode,
      (error: unknown) => {
        expect(error).toMatchObject({ name: "RuntimeError" });
        return -1;
      },
    );
    expect(await world.settled(outcome)).not.toBe(0);
  });

  check("an interactive exec takes input, delivers all output, then its exit code", async (world) => {
    const id = await world.start(world.programs.runsUntilTerm(0));
    let output = "";
    const options = { command: world.programs.copiesInput().command, tty: false, stdin: true };
    const session = await world.settled(
      world.runtime.exec(id, options, (stream, data) => {
        if (stream === "stdout") output += data.toString();
      }),
    );
    session.write(Buffer.from("first "));
    session.write(Buffer.from("second"));
    session.endInput();
    expect(await world.settled(session.exitCode)).toBe(0);
    expect(output).toBe("first second");
  });

  check("an interactive exec can be aborted", async (world) => {
    const id = await world.start(world.programs.runsUntilTerm(0));
    const options = { command: world.programs.ignoresTerm().command, tty: false, stdin: false };
    const session = await world.settled(world.runtime.exec(id, options, () => {}));
    await world.harness.pass(200);
    session.abort();
    expect(await world.settled(session.exitCode)).not.toBe(0);
    expect((await world.status(id)).state).toBe("CONTAINER_RUNNING");
  });
}
