import { expect, test } from "@jest/globals";
import { AdmissionQueue } from "../../../src/admission/queue.js";
import { createHooks } from "../../../src/hooks/hooks.js";
import { aPod } from "../../pod/pods.js";

test("a pod that is deleted while it waits behind a long admission does not wait for it, and the order of the others stays", async () => {
  const hooks = createHooks();
  const seen: string[] = [];
  let end = (): void => undefined;
  const long = new Promise<void>((resolve) => {
    end = resolve;
  });
  hooks.podAdmit.tapPromise("long", async (verdict, { pod }) => {
    seen.push(pod.metadata.name);
    if (pod.metadata.name === "first") await long;
    return verdict;
  });
  const queue = new AdmissionQueue({
    hooks,
    decisions: { record: () => undefined },
    others: () => [],
    report: () => undefined,
  });
  const earlier = { running: [], isTakenOver: false };
  const live = new AbortController();
  const gone = new AbortController();
  const ask = (name: string, { signal }: AbortController) => queue.admit(aPod({}, { name }), earlier, signal);
  const first = ask("first", live);
  const second = ask("second", gone);
  const third = ask("third", live);
  await new Promise((resolve) => setImmediate(resolve));
  gone.abort();
  expect((await second).admitted).toBe(true);
  expect(seen).toEqual(["first"]);
  end();
  await Promise.all([first, third]);
  expect(seen).toEqual(["first", "third"]);
});
