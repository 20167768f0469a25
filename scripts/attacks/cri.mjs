// What only a runtime that speaks the CRI can do to the agent (number 7), and which of the others are tried on one too.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { holdsWithin, must } from "../machine.mjs";
import { pod, tookPlace } from "./agent.mjs";
import { lyingRuntime } from "./lying-cri.mjs";

const CONTAINERD = path.join(import.meta.dirname, "../containerd.mjs");
const NAME = "attacks";
/** Seconds; without a second look the next one comes after 300. */
const SOON = 60;

/** Those whose way leads through the runtime. */
export const ALSO_ON_CRI = [2, 5, 5.2, 5.3, 6, 9, 12, 16, 19, 20, 21, 22, 24, 25, 27];

/** A containerd of their own; its endpoint. */
export function startContainerd() {
  return `unix://${must(process.execPath, CONTAINERD, "start", "--name", NAME).trim().split("\n").at(-1)}`;
}

export function stopContainerd() {
  must(process.execPath, CONTAINERD, "stop", "--name", NAME);
}

const afterTheEnd = (number, name, lie, often) => ({
  number,
  name,
  async attack(agent) {
    const socket = path.join(agent.folder, "cri.sock");
    const runtime = await lyingRuntime(socket, agent.endpoint.replace("unix://", ""), lie, often);
    agent.endpoint = `unix://${socket}`;
    try {
      tookPlace(await agent.start(), agent.output);
      const phase = () => agent.pod("ends")?.status?.phase;
      const waits = "while [ ! -e /v/end ]; do sleep 1; done; exit 3";
      const container = { volumeMounts: [{ name: "v", mountPath: "/v" }] };
      agent.write(
        "ends",
        pod("ends", waits, { restartPolicy: "Never", container, volumes: [{ name: "v", emptyDir: {} }] }),
      );
      tookPlace(await holdsWithin(180, () => phase() === "Running"), "the pod never ran");
      writeFileSync(path.join(agent.volume(agent.pod("ends"), "v"), "end"), "");
      // A runtime without events is asked once a round, which a busy machine makes long: as long as it is asked, it is not forgotten.
      let [lies, ended] = [0, false];
      do {
        lies = runtime.lies;
        ended = await holdsWithin(SOON, () => phase() === "Failed");
      } while (!ended && runtime.lies > lies);
      tookPlace(runtime.lies > 0, "nobody asked for the status while it was not what it is");
      return ended ? undefined : `its end is not known ${SOON} s after the last time that it was asked for`;
    } finally {
      await agent.stop();
      runtime.end();
    }
  },
});

export const CRI_ATTACKS = [
  // Agents ask up to eleven times for each end that was announced, a second in all.
  afterTheEnd(7, "a container's end while its status says twelve times that it runs", "running", 12),
  afterTheEnd(7.2, "a container's end while its status cannot be had four times", "fails", 4),
];
