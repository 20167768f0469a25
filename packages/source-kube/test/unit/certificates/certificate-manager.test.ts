/** When a certificate is requested, and when the next one is. */
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { CertificateManager } from "../../../src/certificates/certificate-manager.js";
import type { Pair } from "../../../src/certificates/pair.js";
import { clientCertificate, servingCertificate, type Wanted } from "../../../src/certificates/wanted.js";

const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

function pairOf(wanted: Wanted | undefined, change: Partial<Pair> = {}): Pair {
  return {
    cert: "cert",
    key: "key",
    subject: [`O=${wanted?.organization}`, `CN=${wanted?.commonName}`],
    dnsNames: wanted?.dnsNames ?? [],
    ipAddresses: wanted?.ipAddresses ?? [],
    notBefore: START,
    notAfter: START + HOUR,
    ...change,
  };
}

const serving = (name = "node1", ip = "192.0.2.1") =>
  servingCertificate(name, [
    { type: "Hostname", address: name },
    { type: "InternalIP", address: ip },
  ]);

/** `stored`: what is on disk; `answer`: to each request, by its number from 1 on. */
function managed({
  stored,
  answer = (wanted: Wanted, _count: number): Pair | Error => pairOf(wanted, { notAfter: START + 100 * HOUR }),
  random = 0.5,
}: {
  stored?: Pair | Error;
  answer?: (wanted: Wanted, count: number) => Pair | Error;
  random?: number;
} = {}) {
  const clock = new VirtualClock({ start: START });
  const state = { wanted: serving() as Wanted | undefined };
  const asked: { readonly at: number; readonly names: readonly string[] }[] = [];
  const [changes, failures]: [Pair[], string[]] = [[], []];
  const stop = new AbortController();
  const manager = new CertificateManager({
    clock,
    random: () => random,
    store: {
      currentPath: "/pki/kubelet-server-current.pem",
      current: async () => {
        if (stored instanceof Error) throw stored;
        return stored;
      },
    },
    wanted: () => state.wanted,
    request: async (wanted) => {
      asked.push({ at: clock.now() - START, names: wanted.dnsNames });
      const given = answer(wanted, asked.length);
      if (given instanceof Error) throw given;
      return given;
    },
    changed: (pair) => changes.push(pair),
    failed: (error) => failures.push((error as Error).message),
  });
  const run = async (milliseconds: number) => {
    const ended = manager.run(stop.signal);
    await clock.advance(milliseconds);
    stop.abort();
    await ended;
  };
  return { manager, clock, state, asked, changes, failures, stop, run };
}

test("a certificate that holds and has all names is kept, and the next one requested at 80 % of its life", async () => {
  const stored = pairOf(serving());
  const { manager, asked, changes, run } = managed({ stored });
  expect(await manager.load()).toBe(stored);
  await run(HOUR);
  expect(asked).toEqual([{ at: 0.8 * HOUR, names: ["node1"] }]);
  expect(changes).toHaveLength(1);
  expect(manager.current).toBe(changes[0]);
  expect(manager.failures).toBe(0);
});

test("what is not there yet is requested at once", async () => {
  const { manager, asked, failures, run } = managed();
  expect(await manager.load()).toBeUndefined();
  await run(0);
  expect([asked, failures]).toEqual([[{ at: 0, names: ["node1"] }], []]);
});

test("a damaged file counts as none, and is reported", async () => {
  const { manager, asked, failures, run } = managed({ stored: new Error("no PEM") });
  expect(await manager.load()).toBeUndefined();
  expect(failures).toEqual(["/pki/kubelet-server-current.pem cannot be used: no PEM; another one is asked for"]);
  await run(0);
  expect(asked).toHaveLength(1);
});

test.each<[name: string, stored: Partial<Pair>]>([
  ["of another node", { subject: ["O=system:nodes", "CN=system:node:node2"] }],
  ["of no node", { subject: ["CN=system:node:node1"] }],
  ["without a name", { dnsNames: ["other"] }],
  ["without an address", { ipAddresses: ["192.0.2.2"] }],
  ["that is over its time", { notBefore: START - 2 * HOUR, notAfter: START }],
])("a stored certificate %s is followed by another one at once", async (_name, change) => {
  const { manager, asked, run } = managed({ stored: pairOf(serving(), change) });
  await manager.load();
  await run(0);
  expect(asked).toHaveLength(1);
});

test("more names than are wanted are no reason for another one", async () => {
  const stored = pairOf(serving(), { dnsNames: ["more", "node1"], ipAddresses: ["192.0.2.1", "192.0.2.9"] });
  const { manager, asked, run } = managed({ stored });
  await manager.load();
  await run(60_000);
  expect(asked).toEqual([]);
});

test("a signer that leaves names out is asked once for them; once other names are wanted, again", async () => {
  const answer = (wanted: Wanted) => pairOf(wanted, { dnsNames: [], notAfter: START + 100 * HOUR });
  const { manager, clock, state, asked, stop } = managed({ answer });
  await manager.load();
  const ended = manager.run(stop.signal);
  await clock.advance(60_000);
  expect(asked).toEqual([{ at: 0, names: ["node1"] }]);
  state.wanted = serving("node2");
  await clock.advance(9_999);
  expect(asked).toHaveLength(1);
  await clock.advance(1);
  expect(asked[1]).toEqual({ at: 70_000, names: ["node2"] });
  stop.abort();
  await ended;
});

test("while nothing can be requested it looks each second; nothing is asked", async () => {
  const { manager, clock, state, asked, stop } = managed();
  state.wanted = undefined;
  const ended = manager.run(stop.signal);
  await clock.advance(1_500);
  state.wanted = serving();
  expect(asked).toEqual([]);
  await clock.advance(500);
  expect(asked).toEqual([{ at: 2_000, names: ["node1"] }]);
  stop.abort();
  await ended;
});

test("a failed request is made again with doubling waits, and a series of failures reported once", async () => {
  const answer = (wanted: Wanted, count: number) =>
    count === 4 ? pairOf(wanted, { notAfter: START + 20_000 }) : new Error(`no ${count}`);
  const { manager, asked, failures, run } = managed({ answer, random: 0 });
  await run(30_000);
  // The fourth is signed for 20 s, of which 70 % are over at the second look after it; the waits begin again.
  expect(asked.map(({ at }) => at)).toEqual([0, 2_000, 6_000, 14_000, 24_000, 26_000, 30_000]);
  expect(failures).toEqual(["no 1", "no 5"]);
  expect(manager.failures).toBe(6);
});

test("the end of the agent is no failure that is reported", async () => {
  const { clock, manager, failures, stop } = managed({ answer: () => new Error("cut") });
  stop.abort();
  await manager.run(stop.signal);
  expect(failures).toEqual([]);
  const late = managed({
    answer: () => {
      late.stop.abort();
      return new Error("cut");
    },
  });
  await late.manager.run(late.stop.signal);
  expect([late.failures, late.manager.failures]).toEqual([[], 1]);
  expect(clock.pending).toBe(0);
});

test("a client's certificate needs no names", async () => {
  const wanted = clientCertificate("node1");
  const { manager, state, asked, run } = managed({ stored: pairOf(wanted) });
  state.wanted = wanted;
  await manager.load();
  await run(60_000);
  expect(asked).toEqual([]);
});
