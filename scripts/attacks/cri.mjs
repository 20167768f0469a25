// What only a runtime that speaks the CRI can do to the agent (number 7), and which of the others are tried on one too.
import path from "node:path";
import { holdsWithin, must } from "../machine.mjs";
import { pod, tookPlace } from "./agent.mjs";
import { lyingRuntime } from "./lying-cri.mjs";

const CONTAINERD = path.join(import.meta.dirname, "../containerd.mjs");
const NAME = "attacks";

/** Those whose way leads through the runtime. */
export const ALSO_ON_CRI = [2, 5, 5.2, 5.3, 6, 9, 12, 16, 19, 20, 21, 22, 24];

/** A containerd of their own; its endpoint. */
export function startContainerd() {
  return `unix://${must(process.execPath, CONTAINERD, "start", "--name", NAME).trim().split("\n").at(-1)}`;
}

export function stopContainerd() {
  must(process.execPath, CONTAINERD, "stop", "--name", NAME);
}

const afterTheEnd = (number, name, lie) => ({
  number,
  name,
  async attack(agent) {
    const socket = path.join(agent.folder, "cri.sock");
    const runtime = await lyingRuntime(socket, agent.endpoint.replace("unix://", ""), lie);
    agent.endpoint = `unix://${socket}`;
    try {
      tookPlace(await agent.start(), agent.output);
      const phase = () => agent.pod("ends")?.status?.phase;
      agent.write("ends", pod("ends", "sleep 8; exit 3", { restartPolicy: "Never" }));
      tookPlace(await holdsWithin(40, () => phase() === "Running"), "the pod never ran");
      const ended = await holdsWithin(45, () => phase() === "Failed");
      tookPlace(runtime.lies > 0, "nobody asked for the status while it was not what it is");
      return ended ? undefined : `its end is not known after ${45 - 8} s`;
    } finally {
      await agent.stop();
      runtime.end();
    }
  },
});

export const CRI_ATTACKS = [
  afterTheEnd(7, "a container's end while its status says for 5 s that it runs", "running"),
  afterTheEnd(7.2, "a container's end while its status cannot be had for 5 s", "fails"),
];
