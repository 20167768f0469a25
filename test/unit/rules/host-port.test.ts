/** What plugins touch of the machine past the host port (docs/adr/0013): these files, each behind the seam that a simulation replaces. */
import { expect, test } from "@jest/globals";
import { importsOf, packageSources } from "../../sources.js";

/** Files, sockets and processes of the real machine. */
const MACHINE =
  /^(node:)?(fs|net|http|https|http2|tls|dgram|dns|child_process|worker_threads|cluster)(\/promises)?$|^(@grpc\/grpc-js|undici|ws|execa)$/;

/** Functions of core that read or write real files, or listen. */
const OF_CORE =
  /\b(openStateFile|writeFileAtomic|removeTree|listenPrivately|occupantOf|socketIdentity|HelperPool|SharedHelper)\b|\bdisk\.\w+\(/;

const seams = {
  "the agent's root directory": ["packages/plugin-cgroups/src/cpu/cpu-manager.ts"],
  "the seam devicesIo": [
    "packages/plugin-devices/src/grpc/grpc.ts",
    "packages/plugin-devices/src/grpc/sockets.ts",
    "packages/plugin-devices/src/io.ts",
  ],
  "podLogsDir, which the runtime says": ["packages/plugin-imagegc/src/node-containers.ts"],
  "host.apart(work)": ["packages/plugin-objects/src/volumes/write.ts"],
  "createProbePlugin(network)": [
    "packages/plugin-probe/src/handlers/grpc-subprocess.ts",
    "packages/plugin-probe/src/handlers/probe-connection.ts",
    "packages/plugin-probe/src/handlers/grpc-call.ts",
    "packages/plugin-probe/src/handlers/http-exchange.ts",
    "packages/plugin-probe/src/handlers/attempt.ts",
  ],
  "the seam logind": ["packages/plugin-shutdown/src/logind.ts"],
};

test("only these files of plugins reach past the host port, each behind its seam", () => {
  const reaching = packageSources()
    .filter((file) => file.package.startsWith("plugin-"))
    .filter((file) => importsOf(file.text).some((specifier) => MACHINE.test(specifier)) || OF_CORE.test(file.text));
  expect(reaching.map((file) => file.path).sort()).toEqual(Object.values(seams).flat().sort());
});
