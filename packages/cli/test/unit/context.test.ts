import { agentNotRunning } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { type GlobalOptions, withOther } from "../../src/context.js";
import { fakeIo } from "../cli.js";

const error = agentNotRunning("/work/hooklet.sock", "there is no such socket");

test.each<{ name: string; socket?: string; global?: GlobalOptions; isThere?: boolean; isTold: boolean }>([
  { name: "HOOKLET_SOCKET names a dead one and the default one is there", socket: "/work/hooklet.sock", isTold: true },
  { name: "the default one is not there either", socket: "/work/hooklet.sock", isThere: false, isTold: false },
  { name: "HOOKLET_SOCKET is not set", isTold: false },
  { name: "--socket names it", socket: "/work/x.sock", global: { socket: "/work/hooklet.sock" }, isTold: false },
  { name: "--root-dir names it", socket: "/work/x.sock", global: { rootDir: "/work" }, isTold: false },
])(
  "where $name, that an agent may be elsewhere is told: $isTold",
  ({ socket, global = {}, isThere = true, isTold }) => {
    const io = fakeIo(socket === undefined ? {} : { HOOKLET_SOCKET: socket });
    const { message } = withOther(error, { io, version: "1.2.3", global }, () => isThere);
    expect(message.startsWith("No agent answers on /work/hooklet.sock")).toBe(true);
    expect(message.includes("unset HOOKLET_SOCKET to ask there")).toBe(isTold);
  },
);
