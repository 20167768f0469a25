/** Where the runtime serves streams: it is reached by a socket of this machine, so its streaming server is on this machine as well. */
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { RuntimeError } from "@hooklet/core/host";

const EXPECTED = "the runtime named its streaming server: expected";

/**
 * The URL of a streaming server on this machine. A command's input and forwarded data must not leave the machine.
 *
 * @param addresses of this machine
 * @throws RuntimeError unknown
 */
export function serverUrl(text: string, addresses: () => readonly string[] = ownAddresses): URL {
  const found = JSON.stringify(text.slice(0, 200));
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new RuntimeError("unknown", `${EXPECTED} an http or https URL, found ${found}`);
  if (!isHere(url.hostname, addresses))
    throw new RuntimeError(
      "unknown",
      `${EXPECTED} an address of this machine, found ${found}. Check its configuration.`,
    );
  return url;
}

/** A URL has its addresses in one form each. Only the name that never leaves the machine is resolved. */
function isHere(host: string, addresses: () => readonly string[]): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  if (isIP(address) === 0) return address === "localhost";
  if (address === "::1" || address === "::" || address === "0.0.0.0" || address.startsWith("127.")) return true;
  return addresses().includes(address);
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}
