import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { CallError, Code } from "../../src/call-errors.js";
import { onceFree, onceSettled } from "../../src/retries.js";

const reserved = () => new CallError("CreateContainer", Code.UNKNOWN, 'name "main" is reserved for "abc"');
const settling = (state: string) => new CallError("RemoveContainer", Code.UNKNOWN, `container is in ${state} state`);

/** Answers with these, one after the other, then with "done". */
function tries(...answers: readonly Error[]) {
  const left = [...answers];
  const made: number[] = [];
  const clock = new VirtualClock();
  const make = async () => {
    made.push(clock.monotonic());
    const error = left.shift();
    if (error !== undefined) throw error;
    return "done";
  };
  return { clock, made, make };
}

const absent = async () => false;

test("a reserved name is tried again after 250 ms until it is free", async () => {
  const { clock, made, make } = tries(reserved(), reserved());
  const making = onceFree(clock, make, absent);
  await clock.advance(10_000);
  expect(await making).toBe("done");
  expect(made.map((at) => at - (made[0] ?? 0))).toEqual([0, 250, 500]);
});

test("a name that belongs to something that exists is not tried again, nor another error", async () => {
  const taken = tries(reserved());
  await expect(onceFree(taken.clock, taken.make, async () => true)).rejects.toThrow("is reserved for");
  const other = tries(new CallError("CreateContainer", Code.UNKNOWN, "no"));
  await expect(onceFree(other.clock, other.make, absent)).rejects.toThrow("no");
  const foreign = tries(new Error('name "main" is reserved for "abc"'));
  await expect(onceFree(foreign.clock, foreign.make, absent)).rejects.toThrow("is reserved for");
  expect([taken.made, other.made, foreign.made].map(({ length }) => length)).toEqual([1, 1, 1]);
});

test("the twelfth failure counts", async () => {
  const { clock, made, make } = tries(...Array.from({ length: 12 }, reserved));
  const making = onceFree(clock, make, absent);
  making.catch(() => undefined);
  await clock.advance(60_000);
  await expect(making).rejects.toThrow("is reserved for");
  expect(made).toHaveLength(12);
});

test("a stopped caller waits no longer", async () => {
  const { clock, make } = tries(reserved());
  const stopping = new AbortController();
  const making = onceFree(clock, make, absent, stopping.signal);
  making.catch(() => undefined);
  await clock.advance(10);
  stopping.abort(new Error("the pod stops"));
  await expect(making).rejects.toThrow("the pod stops");
});

test.each(["starting", "removing"])("what is %s is removed once it has settled", async (state) => {
  const { clock, made, make } = tries(settling(state), settling(state));
  const removing = onceSettled(clock, make);
  await clock.advance(10_000);
  expect(await removing).toBe("done");
  expect(made.map((at) => at - (made[0] ?? 0))).toEqual([0, 250, 500]);
});

test("another state is an error at once, and so is the twelfth", async () => {
  const running = tries(settling("running"));
  await expect(onceSettled(running.clock, running.make)).rejects.toThrow("in running state");
  const never = tries(...Array.from({ length: 12 }, () => settling("removing")));
  const removing = onceSettled(never.clock, never.make);
  removing.catch(() => undefined);
  await never.clock.advance(60_000);
  await expect(removing).rejects.toThrow("in removing state");
  expect([running.made.length, never.made.length]).toEqual([1, 12]);
});
