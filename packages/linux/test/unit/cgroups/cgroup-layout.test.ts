import { describe, expect, test } from "@jest/globals";
import { cgroupBelow, cgroupFolder, isLimiting, readCgroupLayout } from "../../../src/cgroups/cgroup-layout.js";
import { ownCgroups } from "../../../src/cgroups/proc-cgroup.js";
import { parseMountinfo } from "../../../src/files/mountinfo.js";

let id = 0;
/** A line of /proc/self/mountinfo, with the optional field that shared mounts have. */
const mount = (at: string, type: string, options = "rw"): string =>
  `${++id} 23 0:${id} / ${at} rw,nosuid,nodev,noexec,relatime shared:9 - ${type} ${type} ${options}\n`;

const ROOT = "/sys/fs/cgroup";
const v1 = (at: string, options: string): string => mount(`${ROOT}/${at}`, "cgroup", options);
const others = `${mount("/", "ext4", "rw,errors=remount-ro")}${mount("/proc", "proc")}`;
const unified = others + mount(ROOT, "cgroup2", "rw,nsdelegate");
const legacy =
  others +
  mount(ROOT, "tmpfs", "ro,mode=755") +
  v1("systemd", "rw,xattr,name=systemd") +
  v1("cpu,cpuacct", "rw,cpu,cpuacct") +
  v1("memory", "rw,memory") +
  v1("pids", "rw,pids") +
  v1("cpuset", "rw,cpuset,noprefix,cpuset_v2_mode");
const hybrid = legacy + mount(`${ROOT}/unified`, "cgroup2", "rw,nsdelegate");

describe("the cgroups of a machine", () => {
  test("are v2 where one tree is mounted", () => {
    expect(readCgroupLayout(unified)).toEqual({
      version: "v2",
      hybrid: false,
      hierarchies: [{ version: "v2", controllers: [], mountPoint: ROOT }],
    });
  });

  test("are v1 where each controller has a tree; what is no controller among the options is left out", () => {
    expect(readCgroupLayout(legacy)).toEqual({
      version: "v1",
      hybrid: false,
      hierarchies: expect.arrayContaining([
        { version: "v1", controllers: ["name=systemd"], mountPoint: `${ROOT}/systemd` },
        { version: "v1", controllers: ["cpu", "cpuacct"], mountPoint: `${ROOT}/cpu,cpuacct` },
        { version: "v1", controllers: ["memory"], mountPoint: `${ROOT}/memory` },
        { version: "v1", controllers: ["pids"], mountPoint: `${ROOT}/pids` },
        { version: "v1", controllers: ["cpuset"], mountPoint: `${ROOT}/cpuset` },
      ]),
    });
  });

  test("are v1 with v2 beside it on a hybrid machine", () => {
    const layout = readCgroupLayout(hybrid);
    expect(layout).toMatchObject({ version: "v1", hybrid: true });
    expect(layout?.hierarchies).toContainEqual({ version: "v2", controllers: [], mountPoint: `${ROOT}/unified` });
    expect(layout?.hierarchies).toHaveLength(6);
  });

  test("are v2 where v1 has no controller that limits pods: systemd's own tree alone", () => {
    const layout = readCgroupLayout(v1("systemd", "rw,name=systemd") + unified);
    expect(layout).toMatchObject({ version: "v2", hybrid: false });
    expect(layout?.hierarchies).toHaveLength(1);
  });

  test.each(["cpu", "memory", "pids"])("are v1 as soon as %s has a tree of v1", (controller) => {
    expect(readCgroupLayout(v1(controller, `rw,${controller}`))).toMatchObject({ version: "v1" });
  });

  test.each([
    ["nothing is mounted", ""],
    ["no cgroups are mounted", others],
    ["v1 has only trees that limit nothing, and there is no v2", v1("systemd", "rw,name=systemd")],
    ["a tree of v1 has no controller", v1("x", "rw,xattr,release_agent=/bin/agent")],
    ["a line was cut off before its type", `30 23 0:26 / ${ROOT} rw -`],
  ])("are none where %s", (_, mountinfo) => expect(readCgroupLayout(mountinfo)).toBeUndefined());

  test("of several mounts of a controller the shortest path counts, and of v2 the first", () => {
    const layout = readCgroupLayout(
      mount("/run/other/memory", "cgroup", "rw,memory") +
        v1("memory", "rw,memory") +
        mount("/var/lib/a/much/longer/path", "cgroup", "rw,memory,pids"),
    );
    expect(layout?.hierarchies.map(({ mountPoint }) => mountPoint)).toEqual(["/run/other/memory"]);
    const twice = readCgroupLayout(unified + mount("/a", "cgroup2"));
    expect(twice?.hierarchies.map(({ mountPoint }) => mountPoint)).toEqual([ROOT]);
  });

  test("a controller that is mounted elsewhere does not hide those beside it that have no other tree", () => {
    const layout = readCgroupLayout(v1("memory", "rw,memory") + v1("pids", "rw,pids"));
    expect(layout?.hierarchies.map(({ controllers }) => controllers)).toEqual([["pids"], ["memory"]]);
  });
});

describe("the folder of a cgroup", () => {
  const layoutOf = (mountinfo: string) =>
    readCgroupLayout(mountinfo) as NonNullable<ReturnType<typeof readCgroupLayout>>;

  test.each<[string, string, string, string, string | undefined]>([
    ["on v2 every controller is in the one tree", unified, "memory", "/kubepods", `${ROOT}/kubepods`],
    ["the root is the mount itself", unified, "cpu", "/", ROOT],
    ["on v1 each controller is in its own", legacy, "memory", "/kubepods", `${ROOT}/memory/kubepods`],
    ["on v1 controllers may share one", legacy, "cpuacct", "/kubepods", `${ROOT}/cpu,cpuacct/kubepods`],
    ["on v1 a controller may be missing", legacy, "hugetlb", "/kubepods", undefined],
    ["on a hybrid machine v1 has the controllers", hybrid, "pids", "/kubepods", `${ROOT}/pids/kubepods`],
  ])("%s", (_, mountinfo, controller, path, expected) => {
    expect(cgroupFolder(layoutOf(mountinfo), controller, path)).toBe(expected);
  });

  test("lies below the mount of its tree", () => {
    const [hierarchy] = layoutOf(unified).hierarchies;
    expect(cgroupBelow(hierarchy as never, "/a/b")).toBe(`${ROOT}/a/b`);
  });

  test("pods are limited in all of v2, and on v1 where cpu, memory or pids are: not in systemd's tree, nor in v2 beside", () => {
    const limiting = (layout: NonNullable<ReturnType<typeof readCgroupLayout>>): readonly string[] =>
      layout.hierarchies.filter((one) => isLimiting(layout, one)).map(({ mountPoint }) => mountPoint);
    expect(limiting(layoutOf(unified))).toEqual([ROOT]);
    expect(limiting(layoutOf(hybrid)).toSorted()).toEqual([`${ROOT}/cpu,cpuacct`, `${ROOT}/memory`, `${ROOT}/pids`]);
  });
});

describe("a line of mountinfo", () => {
  test.each([
    ["has the mount's path as its fifth word", mount("/data", "ext4"), "/data"],
    ["writes blanks, tabs, line feeds and backslashes in octal", mount("/a\\040b\\011c\\134d", "ext4"), "/a b\tc\\d"],
    ["may be none at all", "", ""],
    ["may be cut off", "30 23 0:26 /", ""],
    ["may have a path that looks like its middle", "30 23 0:26 / /a rw - ext4 /dev/a - rw", "/a"],
  ])("%s", (_, line, expected) =>
    expect(parseMountinfo(line).map(({ mountPoint }) => mountPoint)).toEqual(expected === "" ? [] : [expected]),
  );
});

describe("/proc/PID/cgroup", () => {
  test("names each tree of v1 by its controllers and that of v2 by nothing", () => {
    const text = "12:pids:/system.slice/a.service\n1:name=systemd:/init.scope\n0::/system.slice/a.service\n";
    expect(ownCgroups(text)).toEqual([
      ["pids", "/system.slice/a.service"],
      ["name=systemd", "/init.scope"],
      ["", "/system.slice/a.service"],
    ]);
  });

  test("a path may hold colons", () => {
    expect(ownCgroups("0::/docker/a:b")).toEqual([["", "/docker/a:b"]]);
  });

  test.each(["", "x", "x0::/a", ":cpu:/a", "0:cpu", "0::relative"])("%j says nothing", (line) => {
    expect(ownCgroups(line)).toEqual([]);
  });

  test("numbers of trees have as many digits as they need", () => {
    expect(ownCgroups("123:cpu:/")).toEqual([["cpu", "/"]]);
  });
});
