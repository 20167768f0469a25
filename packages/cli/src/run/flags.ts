import { invalid } from "@hooklet/core/base";

/** @throws NodeAgentError INVALID naming --port */
export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw invalid("--port", "a port number from 1 to 65535, or 0 for none", text);
  return port;
}
