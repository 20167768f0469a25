import { constants, type Stats } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import {
  foreign,
  type TrustFault,
  type TrustOptions,
  untrusted,
  untrustedFolder,
  untrustedPresentFolder,
} from "../../../src/files/trust.js";

interface Entry {
  readonly uid?: number;
  readonly mode?: number;
  readonly link?: string;
}

/** A file system of these entries: all that lies above them is there too, of root and written by root alone. */
function files(entries: Readonly<Record<string, Entry>>): Pick<TrustOptions, "lstat" | "readlink"> {
  const there = new Set(
    Object.keys(entries).flatMap((at) => at.split("/").map((_, i, all) => all.slice(0, i).join("/") || "/")),
  );
  const gone = (at: string): Error => Object.assign(new Error(`ENOENT: ${at}`), { code: "ENOENT" });
  return {
    lstat: ((at: string) => {
      const entry = entries[at];
      if (entry === undefined && !there.has(at)) throw gone(at);
      const kind = entry?.link === undefined ? constants.S_IFREG : constants.S_IFLNK;
      return { uid: entry?.uid ?? 0, mode: kind | (entry?.mode ?? 0o755) } as Stats;
    }) as never,
    readlink: ((at: string) => entries[at]?.link ?? "") as never,
  };
}

const text = (fault: TrustFault | undefined): string | undefined => fault && `${fault.expected}: ${fault.found}`;
const MOVE = "move it to a directory that only root can write, such as /etc/hooklet";

describe("root runs a file", () => {
  const found = (entries: Readonly<Record<string, Entry>>, options: Partial<TrustOptions> = {}) =>
    text(untrusted("/srv/a/run.js", { uid: 0, ...files(entries), ...options }));

  test.each<[string, Readonly<Record<string, Entry>>, Partial<TrustOptions>]>([
    ["of root that only root can write", { "/srv/a/run.js": {} }, {}],
    ["of the user who called sudo", { "/srv/a/run.js": { uid: 7 } }, { sudoUid: 7 }],
    ["below a sticky folder that all can write", { "/srv/a/run.js": {}, "/srv": { mode: 0o1777 } }, {}],
    [
      "behind a link, whose own mode says nothing",
      { "/srv/a/run.js": { link: "/opt/run.js", mode: 0o777 }, "/opt/run.js": {} },
      {},
    ],
    ["of anyone, where the agent is not root", { "/srv/a/run.js": { uid: 7, mode: 0o777 } }, { uid: 7 }],
  ])("%s", (_, entries, options) => {
    expect(found(entries, options)).toBeUndefined();
  });

  test.each<[string, Readonly<Record<string, Entry>>, string]>([
    ["of another user", { "/srv/a/run.js": { uid: 7 } }, `/srv/a/run.js to belong to root: owner 7 (${MOVE})`],
    [
      "that a group can write",
      { "/srv/a/run.js": { mode: 0o664 } },
      "/srv/a/run.js to be writable by its owner only: mode 0664 (fix it with: chmod go-w /srv/a/run.js)",
    ],
    [
      "in a sticky folder that all can write",
      { "/srv/a/run.js": {}, "/srv/a": { mode: 0o1777 } },
      `/srv/a, on the way to /srv/a/run.js, to be writable by its owner only: mode 1777 (${MOVE})`,
    ],
    [
      "below a folder that all can write",
      { "/srv/a/run.js": {}, "/srv": { mode: 0o757 } },
      `/srv, on the way to /srv/a/run.js, to be writable by its owner only: mode 0757 (${MOVE})`,
    ],
    [
      "behind a link of another user",
      { "/srv/a/run.js": { link: "/opt/run.js", uid: 7 }, "/opt/run.js": {} },
      `/srv/a/run.js to belong to root: owner 7 (${MOVE})`,
    ],
    [
      "behind a relative link to another user's",
      { "/srv/a": { link: "../opt/b" }, "/opt/b/run.js": { uid: 7 } },
      `/opt/b/run.js, on the way to /srv/a/run.js, to belong to root: owner 7 (${MOVE})`,
    ],
  ])("not %s", (_, entries, fault) => {
    expect(found(entries)).toBe(fault);
  });

  test("with a name that a shell would take apart is quoted in what to do", () => {
    const name = "/srv/it's mine.js";
    expect(untrusted(name, { uid: 0, ...files({ [name]: { mode: 0o666 } }) })?.found).toBe(
      "mode 0666 (fix it with: chmod go-w '/srv/it'\\''s mine.js')",
    );
  });

  test("not behind links without end: 40 are followed", () => {
    const chain = (links: number): Record<string, Entry> => ({
      ...Object.fromEntries(
        Array.from({ length: links }, (_, at) => [`/l${at}`, { link: at + 1 < links ? `l${at + 1}` : "end" }]),
      ),
      "/end": {},
    });
    expect(untrusted("/l0", { uid: 0, ...files(chain(40)) })).toBeUndefined();
    expect(() => untrusted("/l0", { uid: 0, ...files(chain(41)) })).toThrow(
      "more than 40 symbolic links on the way to /l0",
    );
  });
});

test("a rc file that was only found is of root, of the caller, or of who called sudo; the folders above may be anyone's", () => {
  const found = (uid: number, options: Partial<TrustOptions> = {}) =>
    text(foreign("/srv/a/rc", { uid: 5, ...files({ "/srv/a": { uid: 9 }, "/srv/a/rc": { uid } }), ...options }));
  const fault = "/srv/a/rc to belong to root or to user 5: owner 7 (name it with --config if you want it run)";
  expect([found(0), found(5), found(7), found(7, { sudoUid: 7 }), found(7, { uid: -1 })]).toEqual([
    undefined,
    undefined,
    fault,
    undefined,
    undefined,
  ]);
});

describe("a folder keeps what the agent believes", () => {
  const folder = (entries: Readonly<Record<string, Entry>>, options: Partial<TrustOptions> = {}) =>
    text(untrustedFolder("/srv/a", "take another one", { uid: 0, ...files(entries), ...options }));

  test.each<[string, Readonly<Record<string, Entry>>, Partial<TrustOptions>, string | undefined]>([
    ["of root", { "/srv/a": {} }, {}, undefined],
    ["that is not there yet", { "/srv": {} }, {}, undefined],
    [
      "not one that is not there yet below another user's",
      { "/srv": { uid: 7 } },
      {},
      "/srv, on the way to /srv/a, to belong to root: owner 7 (take another one)",
    ],
    [
      "not one that all can write, sticky or not",
      { "/srv/a": { mode: 0o1777 } },
      {},
      "/srv/a to be writable by its owner only: mode 1777 (take another one)",
    ],
    [
      "not one behind a link that all can write",
      { "/srv/a": { link: "/opt/b" }, "/opt/b": { mode: 0o1777 } },
      {},
      "/opt/b, on the way to /srv/a, to be writable by its owner only: mode 1777 (take another one)",
    ],
    [
      "of the user, and of the group, for a user",
      { "/srv": { uid: 9, mode: 0o777 }, "/srv/a": { uid: 7, mode: 0o775 } },
      { uid: 7 },
      undefined,
    ],
    [
      "not another user's, for a user",
      { "/srv/a": { uid: 8 } },
      { uid: 7 },
      "/srv/a to belong to root: owner 8 (take another one)",
    ],
    [
      "not one that all can write, for a user",
      { "/srv/a": { uid: 7, mode: 0o757 } },
      { uid: 7 },
      "/srv/a to be writable by its owner only: mode 0757 (take another one)",
    ],
    ["that is not there yet, for a user", { "/srv": { uid: 9 } }, { uid: 7 }, undefined],
    ["of anyone where the system has no users", { "/srv/a": { uid: 8, mode: 0o777 } }, { uid: -1 }, undefined],
  ])("%s", (_, entries, options, fault) => {
    expect(folder(entries, options)).toBe(fault);
  });

  test("that has to be there is there", () => {
    const options = { uid: 0, ...files({ "/srv": {} }) };
    expect(() => untrustedPresentFolder("/srv/a", "x", options)).toThrow("ENOENT");
    expect(untrustedPresentFolder("/srv/a", "x", { ...options, uid: -1 })).toBeUndefined();
    const others = { uid: 0, ...files({ "/srv/a": { uid: 7 } }) };
    expect(text(untrustedPresentFolder("/srv/a", "x", others))).toBe("/srv/a to belong to root: owner 7 (x)");
  });
});
