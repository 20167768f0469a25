import { agentNotRunning } from "@hooklet/utils";
import { describe, expect, test } from "@jest/globals";
import { type GlobalOptions, withOther } from "../../src/context.js";
import { fakeIo } from "../cli.js";

const error = agentNotRunning("/work/hooklet.sock", "there is no such socket");

test.each<{ name: string; socket?: string; global?: GlobalOptions; isThere?: boolean; isReported: boolean }>([
  {
    name: "HOOKLET_SOCKET names a dead one and the default one is there",
    socket: "/work/hooklet.sock",
    isReported: true,
  },
  { name: "the default one is not there either", socket: "/work/hooklet.sock", isThere: false, isReported: false },
  { name: "HOOKLET_SOCKET is not set", isReported: false },
  { name: "--socket names it", socket: "/work/x.sock", global: { socket: "/work/hooklet.sock" }, isReported: false },
  { name: "--root-dir names it", socket: "/work/x.sock", global: { rootDir: "/work" }, isReported: false },
])(
  "where $name, a hint at an agent elsewhere is given: $isReported",
  ({ socket, global = {}, isThere = true, isReported }) => {
    const io = fakeIo(socket === undefined ? {} : { HOOKLET_SOCKET: socket });
    const { message } = withOther(
      error,
      { io, version: "1.2.3", global },
      { exists: () => isThere, read: () => undefined },
    );
    expect(message.startsWith("No agent answers on /work/hooklet.sock")).toBe(true);
    expect(message.includes("unset HOOKLET_SOCKET to ask there")).toBe(isReported);
  },
);

describe("the root dir of an rc file", () => {
  const hint = (file: string, text: string, global: GlobalOptions = {}): string => {
    const io = { ...fakeIo({}), cwd: () => "/site" };
    const read = (path: string): string | undefined => (path === file ? text : undefined);
    return withOther(
      error,
      { io, version: "1.2.3", global },
      { exists: (path) => path === "/site/state/hooklet.sock", read },
    ).message;
  };

  test.each([
    ["in the folder", "/site/.hookletrc.yaml", "node: { maxPods: 5 }\nrootDir: ./state # here\n"],
    ["as JSON", "/site/.hookletrc", '{\n  "rootDir": "/site/state",\n}'],
    ["in /etc/hooklet", "/etc/hooklet/.hookletrc.yml", "rootDir: /site/state\n"],
  ])("%s is named where a socket is", (_, file, text) => {
    expect(hint(file, text)).toContain(
      `${file} names the root dir /site/state, and a socket is there: add --root-dir /site/state.`,
    );
  });

  test("without a socket there, and where the command line names one, it is not", () => {
    expect(hint("/site/.hookletrc", "rootDir: /elsewhere\n")).toBe(error.message);
    expect(hint("/site/.hookletrc", "rootDir: /site/state\n", { socket: "/x.sock" })).toBe(error.message);
  });
});
