/** What answers an HTTP probe: any container. */
import { httpProbe } from "@hooklet/plugin-probe/internal";
import type { Target } from "../target.js";
import { openAnswering, probeOutcome } from "./answering.js";

const answer = (text: string): Buffer => Buffer.from(text.replaceAll("\n", "\r\n"));

export const httpProbes: Target = {
  name: "HTTP probe answers",
  weight: 5,
  cost: { milliseconds: 150, nanosecondsPerByte: 10_000 },
  seeds: () => [
    answer("HTTP/1.1 200 OK\nContent-Length: 2\nContent-Type: text/plain\n\nok"),
    answer("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n0\n\n"),
    answer("HTTP/1.0 503 no\n\nsick"),
    answer("HTTP/1.1 302 Found\nLocation: /other\nContent-Length: 0\n\n"),
    answer("HTTP/1.1 301 Moved\nLocation: http://other.example:99999/%zz#x\nSet-Cookie: a=b\n\n"),
    answer("HTTP/1.1 100 Continue\n\nHTTP/1.1 204 No Content\nConnection: close\n\n"),
  ],
  async open() {
    const server = await openAnswering();
    const url = {
      scheme: "http",
      host: "127.0.0.1",
      port: server.port,
      path: "/healthz",
      query: "",
      fragment: "",
    } as const;
    return {
      async run(input) {
        server.answer(input);
        return probeOutcome(await httpProbe(server.clock, { url, headers: {}, timeoutMilliseconds: 200 }));
      },
      close: () => server.close(),
    };
  },
};
