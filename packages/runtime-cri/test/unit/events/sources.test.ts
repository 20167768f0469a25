/** Which events a runtime has, and what is made of each. */
import { Labels } from "@hooklet/core";
import { VirtualClock } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { CallError, Code } from "../../../src/call-errors.js";
import type { EventListener, EventPorts, EventSource } from "../../../src/events/hub.js";
import { chooseEvents, containerdEvents } from "../../../src/events/sources.js";
import { Known } from "../../../src/known.js";

interface Stream {
  readonly rpc: string;
  readonly request: object;
  data(message: object): void;
  ended(error?: CallError): void;
  cancelled: boolean;
}

/** A runtime: `first` says how a stream begins, `calls` what is answered. */
class World {
  readonly clock = new VirtualClock();
  readonly known = new Known();
  readonly streams: Stream[] = [];
  readonly asked: string[] = [];
  readonly seen: unknown[] = [];
  answers: Record<string, () => unknown> = {};
  first: (stream: Stream) => void = () => undefined;

  readonly ports = {
    clock: this.clock,
    known: this.known,
    client: {
      stream: (rpc: string, request: object, on: Pick<Stream, "data" | "ended">) => {
        const stream = { rpc, request, data: on.data, ended: on.ended, cancelled: false };
        this.streams.push(stream);
        queueMicrotask(() => this.first(stream));
        return () => {
          stream.cancelled = true;
        };
      },
      taskEvent: (value: string) => ({ containerId: value }),
    },
    calls: {
      call: async (rpc: string, request: object) => {
        this.asked.push(`${rpc} ${JSON.stringify(request)}`);
        return this.answers[rpc]?.() ?? {};
      },
    },
  } as unknown as EventPorts;

  readonly listener: EventListener = {
    event: (event) => this.seen.push(event),
    gap: () => this.seen.push("gap"),
    away: () => this.seen.push("away"),
    back: () => this.seen.push("back"),
    problem: (error) => this.seen.push(String(error)),
  };

  async chosen(runtime: string): Promise<EventSource | undefined> {
    const choice = chooseEvents(this.ports, runtime);
    await this.clock.advance(1_000);
    return choice;
  }

  open(source: EventSource = containerdEvents): Stream {
    source(this.ports, this.listener);
    return this.streams.at(-1) as Stream;
  }
}

const refusal = (code: number) => new CallError("x", code, "no");

describe("the events", () => {
  test("are the CRI's own where their stream stays open, or begins", async () => {
    for (const first of [() => undefined, (stream: Stream) => stream.data({})]) {
      const world = new World();
      world.first = first;
      const source = await world.chosen("cri-o");
      expect(source).toBeDefined();
      expect(source).not.toBe(containerdEvents);
      expect(world.streams.map(({ rpc, cancelled }) => [rpc, cancelled])).toEqual([["GetContainerEvents", true]]);
    }
  });

  test.each([
    ["containerd's own, where it finds fault with a filter", "containerd", Code.INVALID_ARGUMENT, true],
    ["none, where containerd has not those either", "containerd", Code.UNIMPLEMENTED, false],
    ["none of another runtime without the CRI's", "cri-o", Code.INVALID_ARGUMENT, false],
  ])("are %s", async (_name, runtime, code, isContainerd) => {
    const world = new World();
    world.first = ({ rpc, ended }) => ended(refusal(rpc === "Subscribe" ? code : Code.UNIMPLEMENTED));
    expect(await world.chosen(runtime)).toBe(isContainerd ? containerdEvents : undefined);
    const subscribed = world.streams.filter(({ rpc }) => rpc === "Subscribe").map(({ request }) => request);
    expect(subscribed).toEqual(runtime === "containerd" ? [{ filters: ["=="] }] : []);
  });

  test("of a stream that ends well at once are none", async () => {
    const world = new World();
    world.first = ({ ended }) => ended();
    expect(await world.chosen("cri-o")).toBeUndefined();
  });
});

describe("an event of the CRI", () => {
  async function opened() {
    const world = new World();
    const source = await world.chosen("cri-o");
    const { data } = world.open(source as EventSource);
    const send = (containerId: string, kind: string, podSandboxStatus: object | null = null) =>
      data({ containerId, containerEventType: `CONTAINER_${kind}_EVENT`, podSandboxStatus });
    return { world, send };
  }
  const sandbox = { id: "s", labels: { [Labels.podUid]: "u" } };

  test.each(["CREATED", "STARTED", "STOPPED", "DELETED"])("%s is of a container of its pod", async (kind) => {
    const { world, send } = await opened();
    send("c", kind, sandbox);
    expect(world.seen).toEqual([{ podUid: "u", containerId: "c", type: `CONTAINER_${kind}` }]);
  });

  test("of the sandbox itself names no container", async () => {
    const { world, send } = await opened();
    send("s", "STOPPED", sandbox);
    expect(world.seen).toEqual([{ podUid: "u", containerId: "", type: "CONTAINER_STOPPED" }]);
  });

  test("without its pod is of the one that is known; others and unknown kinds are none", async () => {
    const { world, send } = await opened();
    world.known.set("c", { podUid: "u", sandboxId: "s" });
    send("c", "STOPPED");
    send("c", "STOPPED", { id: "s", labels: {} });
    send("other", "STOPPED");
    send("c", "PAUSED", sandbox);
    const event = { podUid: "u", containerId: "c", type: "CONTAINER_STOPPED" };
    expect(world.seen).toEqual([event, event]);
  });
});

describe("an event of containerd", () => {
  function opened() {
    const world = new World();
    const { data, request } = world.open();
    const send = (id: string, topic: string) => data({ topic: `/tasks/${topic}`, event: { value: id } });
    const ended = { podUid: "u", containerId: "c", type: "CONTAINER_STOPPED" };
    return { world, send, data, request, ended };
  }

  test("is asked for by its namespace and its topics", () => {
    expect(opened().request).toEqual({ filters: ['namespace==k8s.io,topic~="^/tasks/(start|delete)$"'] });
  });

  test("of a start is reported for what is known, without a question", async () => {
    const { world, send, data } = opened();
    world.known.set("c", { podUid: "u", sandboxId: "s" });
    world.known.set("s", { podUid: "u" });
    for (const id of ["c", "s", "other"]) send(id, "start");
    data({ topic: "/tasks/start", event: null });
    await world.clock.advance(10);
    expect(world.seen).toEqual([
      { podUid: "u", containerId: "c", type: "CONTAINER_STARTED" },
      { podUid: "u", containerId: "", type: "CONTAINER_STARTED" },
    ]);
    expect(world.asked).toEqual([]);
  });

  test.each(["CONTAINER_RUNNING", "CONTAINER_CREATED"])(
    "of an end is reported once the CRI says no %s any more",
    async (state) => {
      const { world, send, ended } = opened();
      world.known.set("c", { podUid: "u", sandboxId: "s" });
      let left = 3;
      world.answers.ContainerStatus = () => ({ status: { state: left-- > 0 ? state : "CONTAINER_EXITED" } });
      send("c", "delete");
      await world.clock.advance(13);
      expect(world.seen).toEqual([]);
      await world.clock.advance(1);
      expect(world.seen).toEqual([ended]);
      expect(world.asked).toEqual(Array.from({ length: 4 }, () => 'ContainerStatus {"containerId":"c"}'));
    },
  );

  test("of an end is reported after about a second in any case", async () => {
    const { world, send, ended } = opened();
    world.known.set("c", { podUid: "u", sandboxId: "s" });
    world.answers.ContainerStatus = () => ({ status: { state: "CONTAINER_RUNNING" } });
    send("c", "delete");
    await world.clock.advance(1_021);
    expect(world.seen).toEqual([]);
    await world.clock.advance(1);
    expect(world.seen).toEqual([ended]);
  });

  test("of a sandbox's end is reported once it is not ready", async () => {
    const { world, send, ended } = opened();
    world.known.set("s", { podUid: "u" });
    let left = 1;
    world.answers.PodSandboxStatus = () => ({ status: { state: left-- > 0 ? "SANDBOX_READY" : "SANDBOX_NOTREADY" } });
    send("s", "delete");
    await world.clock.advance(10);
    expect(world.seen).toEqual([{ ...ended, containerId: "" }]);
    expect(world.asked).toEqual(Array.from({ length: 2 }, () => 'PodSandboxStatus {"podSandboxId":"s"}'));
  });

  test("of an end is reported at once where the container is gone; another failure is a gap", async () => {
    for (const [code, seen] of [
      [Code.NOT_FOUND, ["ended"]],
      [Code.UNAVAILABLE, ["CallError: no", "gap"]],
    ] as const) {
      const { world, send, ended } = opened();
      world.known.set("c", { podUid: "u", sandboxId: "s" });
      world.answers.ContainerStatus = () => Promise.reject(refusal(code));
      send("c", "delete");
      await world.clock.advance(2_000);
      expect(world.seen).toEqual(seen.map((one) => (one === "ended" ? ended : one)));
    }
  });

  test("of an end by the agent's own stop is reported with that, without a question", async () => {
    const { world, send, ended } = opened();
    world.known.set("c", { podUid: "u", sandboxId: "s" });
    let stop: () => void = () => undefined;
    const call = new Promise<void>((resolve) => {
      stop = resolve;
    });
    void world.known.stops("c", call);
    send("c", "delete");
    await world.clock.advance(5_000);
    expect(world.seen).toEqual([]);
    stop();
    await world.clock.advance(1);
    expect([world.seen, world.asked]).toEqual([[ended], []]);
  });

  test("of an end of what is not known is looked up, as a container and then as a sandbox", async () => {
    const { world, send, ended } = opened();
    const labels = { [Labels.podUid]: "u" };
    world.answers.ListContainers = () => ({ containers: [{ labels, podSandboxId: "s" }] });
    send("c", "delete");
    await world.clock.advance(10);
    expect(world.known.get("c")).toEqual({ podUid: "u", sandboxId: "s" });
    world.answers.ListContainers = () => ({ containers: [] });
    world.answers.ListPodSandbox = () => ({ items: [{ labels }] });
    send("p", "delete");
    await world.clock.advance(10);
    expect(world.known.get("p")).toEqual({ podUid: "u" });
    world.answers.ListPodSandbox = () => ({ items: [{ labels: {} }] });
    send("other", "delete");
    world.answers.ListPodSandbox = () => ({ items: [] });
    send("gone", "delete");
    await world.clock.advance(10);
    expect(world.seen).toEqual([ended, { ...ended, containerId: "" }]);
    expect(world.asked.filter((one) => one.startsWith("List")).slice(0, 3)).toEqual([
      'ListContainers {"filter":{"id":"c"}}',
      'ListContainers {"filter":{"id":"p"}}',
      'ListPodSandbox {"filter":{"id":"p"}}',
    ]);
  });
});
