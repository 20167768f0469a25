import { expect, test } from "@jest/globals";
import { restartPod } from "../../../src/agent/pod-requests.js";
import { aPod } from "../../pod/pods.js";

const pod = aPod({}, { name: "web", uid: "u" });

function restarting(life: string | undefined, now?: typeof pod) {
  const events: unknown[] = [];
  const worker =
    life === undefined
      ? undefined
      : { state: { life: { kind: life } }, dispatch: (event: unknown) => void events.push(event) };
  const manager = { worker: () => worker, get: () => now } as unknown as Parameters<typeof restartPod>[0];
  return { events, restart: () => restartPod(manager, pod) };
}

test("the containers of an active pod are restarted; the answer is the pod as it is now", () => {
  const { events, restart } = restarting("active");
  expect(restart()).toBe(pod);
  expect(events).toEqual([{ type: "restartRequested" }]);
  const now = aPod({}, { name: "web" });
  expect(restarting("active", now).restart()).toBe(now);
});

const ended = "has ended or was refused and is not started again: delete it and apply it, or change its manifest file.";

test.each([
  ["pending", "is not admitted yet: it has no containers to restart."],
  ["terminating", "is being stopped and is not started again."],
  ["ended", ended],
  [undefined, ended],
])("a pod whose life is %s is not restarted", (life, why) => {
  const { events, restart } = restarting(life);
  expect(restart).toThrow(expect.objectContaining({ code: "INVALID", message: `pod default/web ${why}` }));
  expect(events).toEqual([]);
});
