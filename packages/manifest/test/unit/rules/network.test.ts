import { expect, test } from "@jest/globals";
import { aPod, messagesOf } from "../../pods.js";

const D = "spec.dnsConfig";
const IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const listed = (values: readonly string[]): string => {
  const text = JSON.stringify(values);
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
};
const names = (count: number, length = 1): string[] => Array.from({ length: count }, () => "a".repeat(length));

test.each<[string, object, string[]]>([
  ["three name servers are the most", { nameservers: ["10.0.0.1", "::1", "10.0.0.3"] }, []],
  [
    "a fourth name server is too many",
    { nameservers: ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"] },
    [
      `${D}.nameservers: Invalid value: ["10.0.0.1","10.0.0.2","10.0.0.3","10.0.0.4"]: must not have more than 3 nameservers`,
    ],
  ],
  [
    "a name server has an address",
    { nameservers: ["10.0.0.1", "dns.example"] },
    [`${D}.nameservers[1]: Invalid value: "dns.example": ${IP}`],
  ],
  ["32 search domains are the most", { searches: names(32) }, []],
  [
    "a 33rd is too many",
    { searches: names(33) },
    [`${D}.searches: Invalid value: ${listed(names(33))}: must not have more than 32 search paths`],
  ],
  // 31 spaces between 32 names.
  ["search domains have 2048 characters with spaces", { searches: [...names(31, 63), `${"a.".repeat(31)}aa`] }, []],
  [
    "and no more",
    { searches: [...names(31, 63), `${"a.".repeat(31)}aaa`] },
    [
      `${D}.searches: Invalid value: ${listed(names(31, 63))}: must not have more than 2048 characters (including spaces) in the search list`,
    ],
  ],
  ["a search domain may end in a dot, or be the root", { searches: ["a.example.", "."] }, []],
  ["an option has a name and may have a value", { options: [{ name: "ndots", value: "2" }, { name: "rotate" }] }, []],
])("DNS: %s", async (_rule, dnsConfig, expected) => {
  expect(await messagesOf(aPod({ dnsConfig }))).toEqual(expected);
});

test.each([["None"], ["ClusterFirst"], ["ClusterFirstWithHostNet"], ["Default"]])(
  "dnsPolicy %s takes name servers of the pod",
  async (dnsPolicy) => {
    expect(await messagesOf(aPod({ dnsPolicy, dnsConfig: { nameservers: ["10.0.0.1"] } }))).toEqual([]);
  },
);

test("an alias of the host file has an address and names", async () => {
  const hostAliases = [{ ip: "::1", hostnames: ["a", "b.example"] }, {}];
  expect(await messagesOf(aPod({ hostAliases }))).toEqual([`spec.hostAliases[1].ip: Invalid value: "": ${IP}`]);
});
