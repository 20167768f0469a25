// What hostile neighbours of the agent answer: device plugins, API servers, webhooks, signers, the runtime's exec URLs; and a log line without
// an end: numbers 25 to 31. An attack returns what it got; nothing when it got nothing.
import { execFile, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { request } from "node:https";
import { createRequire } from "node:module";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { holdsWithin, must } from "../machine.mjs";
import { root } from "../pnpm.mjs";
import { freePort, pod, tookPlace } from "./agent.mjs";
import { answeringRuntime } from "./lying-cri.mjs";

const WAITS = "while :; do sleep 1; done";
const MIB = 2 ** 20;
const RESOURCE = "attack.example/device";

const isRunning = (agent, name, seconds = 60) =>
  holdsWithin(seconds, () => !agent.alive || agent.pod(name)?.status?.phase === "Running");

/** Megabytes that the agent has ever had. */
function peak(agent) {
  const status = `/proc/${agent.pid}/status`;
  return existsSync(status) ? Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(status, "utf8"))?.[1] ?? 0) / 1024 : 0;
}

/** What holds whatever was tried: the agent lives, its memory is bounded, and other pods start. */
async function harm(agent, before, most = 300) {
  if (!agent.alive) return "the agent died";
  agent.apply(pod("bystander", WAITS));
  if (!(await isRunning(agent, "bystander"))) return "another pod does not start";
  if (!agent.alive) return "the agent died";
  const grown = Math.round(peak(agent) - before);
  return grown > most ? `the agent's memory grew by ${grown} MiB` : undefined;
}

/** A device plugin: `watch` is handed its stream, `allocate` makes its answer. */
async function devicePlugin(agent, folder, { watch, allocate = () => ({ container_responses: [{}] }) }) {
  const require = createRequire(path.join(root, "packages/runtime-cri/package.json"));
  const grpc = require("@grpc/grpc-js");
  const proto = path.join(root, "examples/device-plugin/proto/deviceplugin.proto");
  const { v1beta1 } = grpc.loadPackageDefinition(require("@grpc/proto-loader").loadSync(proto, { keepCase: true }));
  const server = new grpc.Server();
  let asked = 0;
  server.addService(v1beta1.DevicePlugin.service, {
    GetDevicePluginOptions: (_call, answer) => answer(null, {}),
    ListAndWatch: (stream) => {
      asked += 1;
      stream.on("error", () => undefined);
      watch(stream);
    },
    Allocate: (call, answer) => answer(null, allocate(call.request)),
    PreStartContainer: (_call, answer) => answer(null, {}),
    GetPreferredAllocation: (_call, answer) => answer(null, {}),
  });
  const credentials = grpc.ServerCredentials.createInsecure();
  await new Promise((resolve, reject) =>
    server.bindAsync(`unix://${folder}/attack.sock`, credentials, (error) => (error ? reject(error) : resolve())),
  );
  const client = new v1beta1.Registration(`unix://${folder}/kubelet.sock`, grpc.credentials.createInsecure());
  const words = { version: "v1beta1", endpoint: "attack.sock", resource_name: RESOURCE };
  await new Promise((resolve, reject) => client.Register(words, (error) => (error ? reject(error) : resolve())));
  tookPlace(await holdsWithin(20, () => !agent.alive || asked > 0), "the agent asked for no devices");
  return () => {
    client.close();
    server.forceShutdown();
  };
}

const withDevices = (agent) => {
  const [devicePluginDirectory, pluginRegistryDirectory, podResourcesDirectory] = ["dp", "registry", "resources"].map(
    (name) => agent.place(name),
  );
  const folders = { devicePluginDirectory, pluginRegistryDirectory, podResourcesDirectory };
  return { folder: devicePluginDirectory, rc: { plugins: [["devices", folders]] } };
};

/** An HTTP server: `answer` gets each request with its text. */
async function served(answer) {
  const server = createServer(async (asked, response) => {
    response.on("error", () => undefined);
    let text = "";
    for await (const piece of asked) text += piece;
    answer(asked, response, text);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const end = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, end };
}

function kubeconfig(agent, name, url) {
  const file = path.join(agent.folder, name);
  const [cluster, user] = [{ server: url }, { token: "s3cret" }];
  const context = { cluster: "c", user: "u" };
  const parts = {
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context }],
  };
  writeFileSync(file, JSON.stringify({ "current-context": "x", ...parts }), { mode: 0o600 });
  return file;
}

/** Bytes without an end, as fast as they are taken, `begin` first. */
function endless(response, begin, piece = "x".repeat(MIB)) {
  response.writeHead(200, { "content-type": "application/json" });
  response.write(begin);
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on("drain", more);
  more();
}

const json = (response, body, code = 200) =>
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));

const isTokenReview = (url) => url.includes("/tokenreviews");
const isAccessReview = (url) => url.includes("/subjectaccessreviews");
const yes = { authenticated: true, user: { username: "admin", groups: ["system:masters"] } };

/** What a webhook says of a token and of a right: none of it grants access. */
const REVIEWS = {
  "types of a token": { token: { authenticated: "true", user: yes.user }, access: { allowed: true } },
  "no name": { token: { authenticated: true, user: { username: { toString: "admin" } } }, access: { allowed: true } },
  "types of a right": { token: yes, access: { allowed: "true" } },
  "a number": { token: yes, access: { allowed: 1 } },
  "allowed and denied": { token: yes, access: { allowed: true, denied: true } },
  "no status": { token: yes, access: undefined },
  hangs: { token: yes, access: "hangs" },
  "a token that hangs": { token: "hangs", access: { allowed: true } },
  huge: { token: yes, access: "huge" },
  "a huge token": { token: "huge", access: { allowed: true } },
};

function review(response, status) {
  if (status === "hangs") return;
  if (status === "huge") endless(response, '{"status":{"reason":"');
  else json(response, { status }, 201);
}

const CSR = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

export const HOSTILE_ATTACKS = [
  {
    number: 25,
    name: "a line of 1 GiB in a log",
    async attack(agent) {
      tookPlace(await agent.start(), agent.output);
      agent.apply(pod("before", "echo said; exit 0", { restartPolicy: "Never" }));
      tookPlace(/said/.test(await agent.log("before", /said/)), "a container's line is in no log");
      const before = peak(agent);
      const line = `head -c 1073741824 /dev/zero | tr '\\0' x; echo; echo over > /v/over; ${WAITS}`;
      const container = { volumeMounts: [{ name: "v", mountPath: "/v" }] };
      agent.apply(pod("line", line, { container, volumes: [{ name: "v", emptyDir: {} }] }));
      tookPlace(await isRunning(agent, "line"), "the pod never ran");
      const over = path.join(agent.volume(agent.pod("line"), "v"), "over");
      const isOver = await holdsWithin(180, () => !agent.alive || existsSync(over), 500);
      if (!agent.alive) return "the agent died";
      tookPlace(isOver, "the line was not written within 180 s");
      const words = [agent.binary, "--root-dir", agent.rootDir, "logs", "--tail", "1", agent.pod("line").metadata.name];
      const read = spawnSync(process.execPath, words, { stdio: "ignore", timeout: 60_000 });
      if (read.status !== 0) return `nobody can read its last line: ${read.error?.message ?? read.status}`;
      return harm(agent, before);
    },
  },
  {
    number: 26,
    name: "a device plugin that tells of its devices without end",
    async attack(agent) {
      const { folder, rc } = withDevices(agent);
      tookPlace(await agent.start({ rc }), agent.output);
      const before = peak(agent);
      let recorded = 0;
      const watch = (stream) => {
        const more = () => {
          for (let room = true; room && !stream.cancelled && !stream.destroyed; recorded += 1) {
            const health = recorded % 2 === 0 ? "Healthy" : "Unhealthy";
            room = stream.write({
              devices: Array.from({ length: 1_000 }, (_, at) => ({ ID: `${recorded}-${at}`, health })),
            });
          }
          if (!stream.cancelled && !stream.destroyed) setImmediate(more);
        };
        more();
      };
      const end = await devicePlugin(agent, folder, { watch });
      try {
        await pause(5_000);
        tookPlace(recorded > 10, `it reported its devices only ${recorded} times`);
        const late = [];
        for (let at = 0; at < 10 && agent.alive; at += 1) {
          const began = performance.now();
          await fetch(`http://127.0.0.1:${agent.port}/healthz`, { signal: AbortSignal.timeout(10_000) }).catch(() => 0);
          late.push(performance.now() - began);
          await pause(200);
        }
        const slowest = Math.round(Math.max(...late));
        return (await harm(agent, before)) ?? (slowest > 2_000 ? `/healthz takes ${slowest} ms` : undefined);
      } finally {
        end();
      }
    },
  },
  {
    number: 27,
    name: "CDI devices with odd names",
    async attack(agent) {
      const { folder, rc } = withDevices(agent);
      tookPlace(await agent.start({ rc }), agent.output);
      const before = peak(agent);
      const names = [
        "../../etc/passwd",
        "a.example/net=a\nb",
        "a.example/../../x=y",
        `a.example/x=${"y".repeat(10 ** 6)}`,
      ];
      let asked = 0;
      const devices = names.map((_, at) => ({ ID: `d${at}`, health: "Healthy" }));
      const allocate = () => {
        const name = names[asked++ % names.length];
        return { container_responses: [{ cdi_devices: [{ name }] }] };
      };
      const end = await devicePlugin(agent, folder, { watch: (stream) => stream.write({ devices }), allocate });
      try {
        await pause(1_000);
        const container = { resources: { limits: { [RESOURCE]: "1" } } };
        for (const at of names.keys()) agent.apply(pod(`cdi-${at}`, WAITS, { container }));
        tookPlace(
          await holdsWithin(30, () => !agent.alive || asked >= names.length),
          `${asked} devices were asked for`,
        );
        await pause(10_000);
        if (!agent.alive) return "the agent died";
        const running = [...names.keys()].filter((at) => agent.pod(`cdi-${at}`)?.status?.phase === "Running");
        if (running.length > 0) return `a pod runs with ${running.map((at) => JSON.stringify(names[at].slice(0, 30)))}`;
        return harm(agent, before);
      } finally {
        end();
      }
    },
  },
  {
    number: 29,
    name: "a webhook that lies, hangs and answers without end, asked by the server on 10250",
    async attack(agent) {
      let said = { token: yes, access: { allowed: true } };
      let reviews = 0;
      const api = await served(({ url }, response) => {
        if (!isTokenReview(url) && !isAccessReview(url)) return json(response, { kind: "Status", code: 503 }, 503);
        reviews += 1;
        review(response, isTokenReview(url) ? said.token : said.access);
      });
      try {
        const port = await freePort();
        // All that is asked for is of one user: nothing is to be answered from memory.
        const authorization = { webhook: { cacheAuthorizedTTL: "0s", cacheUnauthorizedTTL: "0s" } };
        const server = { address: "127.0.0.1", port, authorization };
        const kube = { kubeconfig: kubeconfig(agent, "kubeconfig", api.url) };
        tookPlace(await agent.start({ rc: { sources: { kube }, server } }), agent.output);
        tookPlace((await asks(port, "good")) === 200, "a user that the API server allows is refused");
        const before = peak(agent);
        // A token of its own each: answers are kept.
        for (const [what, words] of Object.entries(REVIEWS)) {
          said = words;
          const already = reviews;
          const status = await asks(port, what.replaceAll(" ", "-"));
          if (status === 200) return `let in by: ${what}`;
          if (status === 0 && agent.alive) return `no answer: ${what}`;
          tookPlace(reviews > already || !agent.alive, `nobody asked the webhook: ${what}`);
          tookPlace([401, 403, 500].includes(status) || !agent.alive, `${what}: answered with ${status}`);
        }
        return await harm(agent, before);
      } finally {
        await agent.stop();
        api.end();
      }
    },
  },
  {
    number: 30,
    name: "a signer of bootstrap certificates that signs another key",
    async attack(agent) {
      const stolen = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
        type: "pkcs8",
        format: "pem",
      });
      const garbage = (text) => Buffer.from(text).toString("base64");
      const certificates = [
        7,
        "not base64",
        garbage("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
        garbage(stolen),
        garbage(`${stolen}\n`.repeat(5_000)),
        garbage(somebodys()),
      ];
      let asked = 0;
      let last;
      const api = await served(({ url, method }, response, text) => {
        if (!url.startsWith(CSR)) return json(response, { kind: "Status", code: 503 }, 503);
        if (method === "POST") last = JSON.parse(text);
        if (last === undefined) return json(response, { kind: "Status", code: 404, reason: "NotFound" }, 404);
        const conditions = [{ type: "Approved", status: "True" }];
        const object = {
          ...last,
          metadata: { ...last.metadata, uid: "u", resourceVersion: "1" },
          status: { conditions, certificate: certificates[asked++ % certificates.length] },
        };
        const isList = method === "GET" && /\?/.test(url);
        const isWatch = /watch=(?:true|1)/.test(url);
        if (isWatch) return response.write(`${JSON.stringify({ type: "MODIFIED", object })}\n`);
        return json(response, isList ? { metadata: { resourceVersion: "1" }, items: [object] } : object);
      });
      try {
        const config = path.join(agent.folder, "kubelet.conf");
        const kube = { kubeconfig: config, bootstrapKubeconfig: kubeconfig(agent, "bootstrap", api.url) };
        agent.write("static", pod("static", WAITS));
        tookPlace(await agent.start({ rc: { sources: { kube } } }), agent.output);
        const before = peak(agent);
        await holdsWithin(40, () => !agent.alive || asked >= 2 * certificates.length);
        tookPlace(asked > 0 || !agent.alive, `nobody asked for a certificate: ${agent.output.slice(-500)}`);
        if (existsSync(config)) return `it is taken: ${readFileSync(config, "utf8").slice(0, 200)}`;
        return await harm(agent, before);
      } finally {
        await agent.stop();
        api.end();
      }
    },
  },
  ...["types", "watch", "redirect", "huge"].map((how, at) => ({
    number: 31 + at / 10,
    name: `an API server turned hostile: ${how}`,
    async attack(agent) {
      let [asked, seen] = [0];
      const other = await served(({ headers }, response) => {
        seen ??= headers.authorization;
        json(response, {});
      });
      const odd = [
        { metadata: 7 },
        null,
        "pod",
        { metadata: { name: ["a"], uid: {} }, spec: [] },
        { metadata: { name: "a" } },
      ];
      const ways = {
        types: (url, response) => json(response, { metadata: [], items: /pods/.test(url) ? odd : "none", status: 3 }),
        watch: (url, response) => {
          if (/watch=/.test(url)) return endless(response, '{"type":"ADDED","object":{"metadata":{"name":"');
          return json(response, { metadata: { resourceVersion: "1" }, items: [] });
        },
        redirect: (url, response) => response.writeHead(307, { location: `${other.url}${url}` }).end(),
        huge: (_url, response) => endless(response, '{"items":[{"metadata":{"name":"'),
      };
      const api = await served(({ url }, response) => {
        asked += 1;
        ways[how](url, response);
      });
      try {
        const kube = { kubeconfig: kubeconfig(agent, "kubeconfig", api.url) };
        agent.write("static", pod("static", WAITS));
        tookPlace(await agent.start({ rc: { sources: { kube } } }), agent.output);
        const before = peak(agent);
        await pause(20_000);
        tookPlace(asked > 0, "nobody asked the API server");
        if (seen !== undefined) return "the other origin has the token";
        if (!(await isRunning(agent, "static", 30))) return "a static pod does not start";
        return await harm(agent, before);
      } finally {
        await agent.stop();
        api.end();
        other.end();
      }
    },
  })),
];

/** Only a runtime that speaks the CRI has them. */
export const EXEC_URL_ATTACK = {
  number: 28,
  name: "exec URLs of a runtime that lead to other hosts",
  async attack(agent) {
    const socket = path.join(agent.folder, "cri.sock");
    const urls = [
      "http://192.0.2.1:1/exec/x",
      "http://169.254.169.254/latest",
      "http://elsewhere.invalid/exec",
      "http://127.0.0.1@192.0.2.1:1/",
      "http://[::ffff:192.0.2.1]:1/",
      "file:///etc/shadow",
      "unix:///run/x.sock",
      "",
    ];
    let url = urls[0];
    const runtime = await answeringRuntime(socket, agent.endpoint.replace("unix://", ""), {
      "/runtime.v1.RuntimeService/Exec": () => url,
      "/runtime.v1.RuntimeService/PortForward": () => url,
    });
    agent.endpoint = `unix://${socket}`;
    try {
      tookPlace(await agent.start(), agent.output);
      const before = peak(agent);
      agent.apply(pod("urls", WAITS));
      tookPlace(await isRunning(agent, "urls"), "the pod never ran");
      const { name } = agent.pod("urls").metadata;
      for (url of urls) {
        // Not by spawnSync, which would hold up the runtime that this process is.
        const words = [agent.binary, "--root-dir", agent.rootDir, "exec", name, "--", "true"];
        const [failed, stderr] = await new Promise((resolve) =>
          execFile(process.execPath, words, { timeout: 60_000 }, (error, _out, said) =>
            resolve([error !== null, said]),
          ),
        );
        if (!failed) return `a command went to ${url}`;
        if (!/expected/.test(stderr)) return `${url} was not refused: ${stderr}`;
      }
      tookPlace(runtime.lies >= urls.length, "nobody asked for the URL");
      return await harm(agent, before);
    } finally {
      await agent.stop();
      runtime.end();
    }
  },
};

/** A certificate of a key that the agent does not have. */
function somebodys() {
  const words = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    "/dev/null",
    "-days",
    "365",
  ];
  return must("openssl", ...words, "-subj", "/O=system:nodes/CN=system:node:somebody");
}

/** The status of an answer to a client with this token; 0 for none. */
function asks(port, token) {
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve) => {
    const options = { host: "127.0.0.1", port, path: "/pods", headers, rejectUnauthorized: false, timeout: 40_000 };
    const asked = request(options, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(0));
    asked.end();
  });
}
