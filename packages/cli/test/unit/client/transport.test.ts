/** What an answer that is none, or no answer, means. */
import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { AgentAnswerError, answerError, notReached, Transport } from "../../../src/client/transport.js";

const failed = (code: string) => Object.assign(new Error(`failed with ${code}`), { code });
const body = (error: string, code = "INVALID") => JSON.stringify({ error, code });

test("an error of the agent has its words, its code and its status", () => {
  expect(answerError(404, body("no pod", "NOT_FOUND"))).toMatchObject({
    ...{ message: "no pod", status: 404, answerCode: "NOT_FOUND", code: "NOT_FOUND", name: "AgentAnswerError" },
  });
  expect(answerError(409, body("not now", "CONFLICT"))).toMatchObject({ answerCode: "CONFLICT", code: "INVALID" });
});

test("an agent that does not know the way is of another version, unless it says which ways it has", () => {
  expect(answerError(404, body("no such path", "NO_ROUTE")).message).toBe(
    'no such path The agent is of another version: "hooklet version -o json" shows both.',
  );
  for (const own of ["hooklet 1 has no /x", "not on the control socket"])
    expect(answerError(404, body(own, "NO_ROUTE")).message).toBe(own);
  expect(answerError(404, body("no such path", "NOT_FOUND")).message).toBe("no such path");
});

test("what is no error of the agent is shown with its status, the first of it", () => {
  expect(answerError(502, "<html>")).toMatchObject({
    ...{ message: "The agent answered with status 502: <html>", status: 502, answerCode: "" },
  });
  expect(answerError(500, "x".repeat(600)).message).toBe(`The agent answered with status 500: ${"x".repeat(500)}`);
});

test.each([
  ["ENOENT", "there is no such socket"],
  ["ENOTDIR", "there is no such socket"],
  ["ECONNREFUSED", "no process listens on it"],
  ["EACCES", "permission denied; run as the agent's user"],
  ["EPERM", "permission denied; run as the agent's user"],
  ["ENOTSOCK", "it is not a socket"],
  ["EINVAL", "it is not a path of a socket"],
  ["UND_ERR_SOCKET", "the connection broke off"],
  ["ECONNRESET", "the connection broke off"],
  ["EPIPE", "the connection broke off"],
])("%s means that no agent answers: %s", (code, why) => {
  expect(notReached("/s", failed(code))).toMatchObject({
    code: "AGENT_NOT_RUNNING",
    message: expect.stringContaining(why),
    cause: expect.objectContaining({ code }),
  });
});

test.each([[failed("ENOSPC")], [new Error("other")], [undefined], [null], ["ENOENT"], [{ code: 5 }]])(
  "%p says nothing of an agent",
  (error) => {
    expect(notReached("/s", error)).toBeUndefined();
  },
);

/** Tries until it works or fails for good, in virtual time. */
async function tried(work: () => Promise<string>, isAboutToListen?: () => Promise<boolean>) {
  const clock = new VirtualClock({ start: 0 });
  let waits = 0;
  const patience = { clock, waits: () => waits++, ...(isAboutToListen && { isAboutToListen }) };
  const done = new Transport("/s", patience).whenStarted(work).then(
    (answer) => ({ answer }),
    (error: Error) => ({ error: error.message }),
  );
  await clock.advance(60_000);
  return { ...(await done), waits, clock };
}
const starting = () => new AgentAnswerError("it starts", 503, "AGENT_STARTING");
/** Fails so many times. */
function failing(times: number, error: () => unknown) {
  let left = times;
  const work = async () => {
    if (left-- > 0) throw error();
    return "done";
  };
  return { work, calls: () => times - left };
}

test("an agent that starts is asked again every 250 ms, for 30 s; the wait is announced once", async () => {
  const soon = failing(3, starting);
  expect(await tried(soon.work)).toMatchObject({ answer: "done", waits: 1 });
  expect(soon.calls()).toBe(4);
  const never = failing(1_000, starting);
  expect(await tried(never.work)).toMatchObject({ error: "it starts", waits: 1 });
  expect(never.calls()).toBe(30_000 / 250 + 1);
});

test("no wait is announced where there is none", async () => {
  expect(await tried(async () => "done")).toMatchObject({ answer: "done", waits: 0 });
  const other = failing(1, () => new AgentAnswerError("no", 404, "NOT_FOUND"));
  expect(await tried(other.work)).toMatchObject({ error: "no", waits: 0 });
});

test.each([
  ["ENOENT", "done"],
  ["ENOTDIR", "done"],
  ["ECONNREFUSED", "done"],
  ["EACCES", undefined],
  ["ECONNRESET", undefined],
])("an agent that is about to listen is waited for while there is nothing to connect to: %s", async (code, answer) => {
  const once = () => failing(1, () => notReached("/s", failed(code))).work;
  expect(((await tried(once(), async () => true)) as { answer?: string }).answer).toBe(answer);
  expect(await tried(once(), async () => false)).not.toHaveProperty("answer");
  expect(await tried(once())).not.toHaveProperty("answer");
});

test("without patience an agent that starts is an error at once", async () => {
  await expect(new Transport("/s").whenStarted(failing(1, starting).work)).rejects.toThrow("it starts");
});
