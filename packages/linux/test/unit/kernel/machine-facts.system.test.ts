import { describe, expect, test } from "@jest/globals";
import { systemFacts } from "../../../src/kernel/machine-facts.js";

const platform = { os: "linux", arch: "amd64" };

/** A machine of these files; the ones in `closed` may not be read. */
function machine(files: Readonly<Record<string, string>>, closed: readonly string[] = []) {
  const read = (path: string): string | undefined => {
    if (closed.includes(path)) throw Object.assign(new Error("permission denied"), { code: "EACCES" });
    return files[path];
  };
  return { kernel: { read }, textFile: (path: string) => read(path) ?? "" };
}

const FILES = {
  "/etc/machine-id": "0123abcd\n",
  "/etc/os-release": 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
  "/proc/sys/kernel/osrelease": "6.1.0-18\n",
  "/proc/sys/kernel/random/boot_id": "b-1\n",
  "/sys/class/dmi/id/product_uuid": "4C4C4544-0042\n",
};

test("the node's system info is the files' content, without line ends", () => {
  expect(systemFacts(machine(FILES), platform)).toEqual({
    operatingSystem: "linux",
    architecture: "amd64",
    kernelVersion: "6.1.0-18",
    osImage: "Debian GNU/Linux 12 (bookworm)",
    machineID: "0123abcd",
    systemUUID: "4c4c4544-0042",
    bootID: "b-1",
  });
});

test("the product's UUID is readable for root alone: others get the machine's id", () => {
  const facts = systemFacts(machine(FILES, ["/sys/class/dmi/id/product_uuid"]), platform);
  expect(facts.systemUUID).toBe("0123abcd");
});

describe("where the usual file is not there", () => {
  test.each([
    ["the id of D-Bus is the machine's", { "/var/lib/dbus/machine-id": "d-1\n" }, { machineID: "d-1" }],
    ["/usr/lib has the release", { "/usr/lib/os-release": "PRETTY_NAME=Small\n" }, { osImage: "Small" }],
    ["no file: it is Linux, and the rest is empty", {}, { osImage: "Linux", machineID: "", bootID: "" }],
  ])("%s", (_, files, expected) => {
    expect(systemFacts(machine(files), platform)).toMatchObject(expected);
  });
});

test.each([
  ["in double quotes", 'PRETTY_NAME="Debian 12"', "Debian 12"],
  ["in single quotes", "PRETTY_NAME='Debian 12'", "Debian 12"],
  ["without quotes", "PRETTY_NAME=Debian", "Debian"],
  ["with blanks around it", "PRETTY_NAME= Debian \r", "Debian"],
  ["with a quote of its own", 'PRETTY_NAME="Debian" 12', '"Debian" 12'],
  ["with a quote on one side", 'PRETTY_NAME=Debian"', 'Debian"'],
  ["of nothing", 'PRETTY_NAME=""', "Linux"],
  ["that is another one's", "MY_PRETTY_NAME=Debian", "Linux"],
])("the name of the system %s", (_, release, osImage) => {
  expect(systemFacts(machine({ "/etc/os-release": `ID=x\n${release}\nVERSION=1\n` }), platform)).toMatchObject({
    osImage,
  });
});

test("the kernel's own files are read as such, the others as files of the machine", () => {
  const read = (who: string) => (path: string) => {
    asked.push(`${who} ${path}`);
    return "";
  };
  const asked: string[] = [];
  systemFacts({ kernel: { read: read("kernel") }, textFile: read("file") }, platform);
  expect(asked.filter((one) => /^kernel \/(proc|sys)\/|^file \/(etc|usr|var)\//.test(one))).toEqual(asked);
  expect(asked).toContain("kernel /sys/class/dmi/id/product_uuid");
  expect(asked).toContain("file /etc/os-release");
});
