/** Whatever happens in whatever order: no device has two owners, none leaks, and a restart loses nothing. */
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { decodeCheckpoint, encodeCheckpoint } from "../../../src/checkpoint/format.js";
import { deviceIds } from "../../../src/device/pod-devices.js";
import type { DeviceManager } from "../../../src/manager/device-manager.js";
import { numaPacked } from "../../../src/strategies/built-in.js";
import { device, endpoint, GPU, managerOf, podOf } from "../../devices.js";

type Step =
  | { readonly do: "register" }
  | { readonly do: "report"; readonly sick: readonly number[]; readonly count: number }
  | { readonly do: "gone" }
  | { readonly do: "admit"; readonly pod: number; readonly init: number; readonly main: readonly number[] }
  | { readonly do: "terminate"; readonly pod: number }
  | { readonly do: "restart" }
  | { readonly do: "wait"; readonly milliseconds: number }
  | { readonly do: "failing"; readonly times: number };

const small = fc.integer({ min: 0, max: 4 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("register" as const) }),
    fc.record({
      do: fc.constant("report" as const),
      sick: fc.array(fc.integer({ min: 0, max: 7 })),
      count: fc.integer({ min: 0, max: 8 }),
    }),
    fc.record({ do: fc.constant("gone" as const) }),
    fc.record({
      do: fc.constant("admit" as const),
      pod: small,
      init: small,
      main: fc.array(small, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      do: fc.constant("admit" as const),
      pod: small,
      init: fc.constant(0),
      main: fc.array(fc.constant(1), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ do: fc.constant("terminate" as const), pod: small }),
    fc.record({ do: fc.constant("restart" as const) }),
    fc.record({ do: fc.constant("wait" as const), milliseconds: fc.integer({ min: 1, max: 400_000 }) }),
    fc.record({ do: fc.constant("failing" as const), times: small }),
  ),
  { maxLength: 40 },
);

async function play(script: readonly Step[]): Promise<void> {
  const state = {
    now: 0,
    active: new Map<string, string>(),
    failures: 0,
    saved: encodeCheckpoint({ entries: [], registered: new Map() }),
  };
  const make = (): DeviceManager =>
    managerOf({
      now: () => state.now,
      activePods: () => state.active.keys(),
      strategy: numaPacked,
      save: () => {
        state.saved = encodeCheckpoint(manager.checkpoint());
      },
    }).manager;
  let manager = make();
  manager.connected(GPU, plugin());
  manager.reported(
    GPU,
    Array.from({ length: 6 }, (_, index) => device(`gpu-${index}`, [index % 2])),
  );

  function plugin() {
    return endpoint({
      async allocate(ids) {
        if (state.failures > 0) {
          state.failures--;
          throw new Error("rpc error: code = Unknown desc = boom");
        }
        return {
          response: { envs: { IDS: ids.join() }, mounts: [], devices: [], annotations: {}, cdiDevices: [] },
          text: "",
        };
      },
    });
  }

  for (const step of script) {
    switch (step.do) {
      case "register":
        manager.connected(GPU, plugin());
        break;
      case "report":
        if (manager.inventory.get(GPU)?.stoppedAt === undefined && manager.inventory.has(GPU)) {
          const list = Array.from({ length: step.count }, (_, index) =>
            device(`gpu-${index}`, [index % 2], step.sick.includes(index) ? "Unhealthy" : "Healthy"),
          );
          manager.reported(GPU, list);
        }
        break;
      case "gone":
        manager.disconnected(GPU);
        break;
      case "wait":
        state.now += step.milliseconds;
        manager.capacity();
        break;
      case "failing":
        state.failures = step.times;
        break;
      case "terminate":
        state.active.delete(`pod-${step.pod}`);
        if (manager.free(`pod-${step.pod}`)) state.saved = encodeCheckpoint(manager.checkpoint());
        break;
      case "restart": {
        state.saved = encodeCheckpoint(manager.checkpoint());
        const before = JSON.stringify(encodeCheckpoint(manager.checkpoint()));
        manager = make();
        expect(manager.restore(decodeCheckpoint(state.saved))).toEqual([]);
        const after = encodeCheckpoint({
          ...manager.checkpoint(),
          registered: decodeCheckpoint(state.saved).registered,
        });
        expect(JSON.stringify(after)).toBe(before);
        break;
      }
      case "admit": {
        const { pod: number, init, main } = step;
        const base = podOf(
          `pod-${number}`,
          main.map((gpus) => ({ gpus })),
        );
        const limits = { limits: { [GPU]: String(init) } };
        const pod = { ...base, spec: { ...base.spec, initContainers: [{ name: "init", resources: limits }] } };
        const request = JSON.stringify([init, main]);
        // A pod does not change what it asks for.
        if (state.active.has(pod.metadata.uid)) break;
        const undo = manager.undoPoint(pod.metadata.uid);
        // Of a resource that is forgotten nothing is given; the predicates refuse such a pod.
        const known = manager.isDeviceResource(GPU);
        try {
          for (const container of [...pod.spec.initContainers, ...pod.spec.containers])
            await manager.allocate(pod, container);
          state.active.set(pod.metadata.uid, request);
          for (const [index, gpus] of main.entries()) {
            const record = manager.records.get(pod.metadata.uid, `c${index}`, GPU);
            expect(record === undefined ? 0 : deviceIds(record.devices).length).toBe(known ? gpus : 0);
          }
        } catch (error) {
          undo();
          expect(String(error)).toMatch(/unavailable|no healthy|no longer healthy|boom|stopped|unregistered/);
        }
        manager.endAdmission(pod.metadata.uid);
        break;
      }
    }
    check(manager, new Set(state.active.keys()));
  }
}

function check(manager: DeviceManager, active: ReadonlySet<string>): void {
  const owners = new Map<string, string>();
  for (const { podUid, container, devices } of manager.records.all()) {
    expect(active.has(podUid)).toBe(true);
    for (const id of deviceIds(devices)) {
      const owner = owners.get(id);
      // An init container gives its devices on within its pod; nothing else is shared.
      if (owner !== undefined)
        expect({ id, pod: owner.split("/")[0], init: true }).toEqual({
          id,
          pod: podUid,
          init: owner.endsWith("/init") || container === "init",
        });
      owners.set(id, container === "init" && owner !== undefined ? owner : `${podUid}/${container}`);
    }
  }
  expect(manager.records.inUse(GPU).size).toBe(owners.size);
}

test("no device has two owners, none leaks, the checkpoint read back is the state", async () => {
  await fc.assert(fc.asyncProperty(steps, play), { numRuns: 500 });
});
