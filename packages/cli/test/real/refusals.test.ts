/** What a command line may not ask, and what the agent does not have: each with its whole error. */
import { expect, test } from "@jest/globals";
import { FakeAgent } from "../../../server/test/fake-agent.js";
import { aPod } from "../../../server/test/samples.js";
import { startFake } from "../../../server/test/start.js";
import { fakeIo, hooklet } from "../cli.js";

const lines: readonly (readonly [line: string, error: string])[] = [
  ["get pods,node", 'get: expected one kind at a time, found "pods,node".'],
  ["get events web", 'get events: expected no further names, found "web".'],
  ["get ev web db", 'get ev: expected no further names, found "web db".'],
  ["get node -w", "get node: expected no --watch: it is for pods, found true."],
  ["get plugins -l a=b", 'get plugins: expected no --selector: it is for pods, found "a=b".'],
  ["get images --field-selector a=b", 'get images: expected no --field-selector: it is for pods, found "a=b".'],
  ["get events -l a=b", 'events: expected --field-selector: events have no labels, found "--selector".'],
  ["events --types Bad", '--types: expected Normal, Warning or both with a comma between, found "Bad".'],
  ["get pods web -l a=b", 'get pods: expected names of pods or a selector, not both, found "both".'],
  ["get nodes other", 'No node "other"; known are node1.'],
  ["delete", "delete: expected pod NAME or -f FILE, found nothing."],
  ["delete pod", "delete pod: expected the name of a pod, found nothing."],
  ["delete web", 'delete: expected pod NAME or pod/NAME, found "web".'],
  ["delete pod/web db", 'delete: expected pod NAME or pod/NAME, found "pod/web db".'],
  ["delete node/x", 'pod: expected NAME or pod/NAME, found "node/x".'],
  ["delete cm", "delete cm: expected the name of a ConfigMap, found nothing."],
  ["delete secret a/b", 'secret: expected NAME, found "a/b".'],
  ["delete cm/a/b", 'configmap: expected NAME, found "a/b".'],
  ["restart pod", "restart pod: expected the name of a pod, found nothing."],
  ["wait --for delete", "wait: expected pod NAME, pod/NAME, --selector or --all, found nothing."],
  ["wait --for delete pods", 'wait: expected pod NAME, pod/NAME, --selector or --all, found "pods".'],
  ["wait --for condition=Ready -l a=b", "no matching resources found"],
  ["wait --for condition=Ready --all -n team", "no matching resources found"],
  [
    "wait --for condition=Ready pod/web --timeout soon",
    '--timeout: expected a duration such as 90s, 5m or 1h30m, found "soon".',
  ],
  ["logs", "logs: expected the name of a pod, or --selector with labels, found nothing."],
  ["logs web -l a=b", 'logs: expected the name of a pod, or --selector with labels, found "both".'],
  ["logs web --all-containers -c main", 'logs: expected --all-containers or one container, not both, found "main".'],
  ["logs -l a=b", "No resources found in default namespace."],
  ["logs -l a=b -n team", "No resources found in team namespace."],
  ["exec web", "exec: expected a command behind --, found nothing."],
  ["top widgets", 'top: expected pods or node, found "widgets".'],
  ["top pods web -l a=b", 'top pods: expected names of pods or --selector, not both, found "both".'],
  ["top pods nope", 'No pod "nope"; known are db, web.'],
  ["cp a b", "cp: exactly one of SRC and DEST must be POD:PATH."],
  ["cp web:a db:b", "cp: exactly one of SRC and DEST must be POD:PATH."],
  ["cp web:/ x", 'cp: expected the path of a file or directory in the container, found "/".'],
  ["cp web:a/.. x", 'cp: expected the path of a file or directory in the container, found "a/..".'],
  ["plan sample --at 5s", '--at: expected --scenario FILE beside it, found "5s".'],
  ["plan sample word", 'plan: expected --name value behind the plugin, found "word".'],
];

test("what may not be asked is refused before anything is done", async () => {
  const api = new FakeAgent();
  const { socket } = await startFake(api);
  api.setPods([aPod("web"), aPod("db")]);
  const found: (readonly [string, string])[] = [];
  for (const [line] of lines) {
    const { code, out, err } = await hooklet(line, fakeIo({ HOOKLET_SOCKET: socket }));
    expect([line, code, out]).toEqual([line, 1, ""]);
    found.push([line, err.replace(/^error: /, "").trimEnd()]);
  }
  expect(found).toEqual(lines);
  expect(api.calls).toEqual([]);
});

test("without an agent version still shows the client's", async () => {
  const { code, out, err } = await hooklet("version -o json", fakeIo({ HOOKLET_SOCKET: "/nothing/hooklet.sock" }));
  expect([code, JSON.parse(out)]).toEqual([
    0,
    {
      clientVersion: {
        version: "1.2.3",
        nodeVersion: process.version,
        platform: `${process.platform}/${process.arch}`,
      },
    },
  ]);
  expect(err).toMatch(/^warning: .*\/nothing\/hooklet\.sock/);
});

test("with one, version shows both, and no warning", async () => {
  const { socket } = await startFake();
  const { out, err } = await hooklet("version -o yaml", fakeIo({ HOOKLET_SOCKET: socket }));
  expect(out).toMatch(/^agentVersion:\n {2}nodeName: node1\n {2}version: 1\.2\.3\nclientVersion:\n/);
  expect(err).toBe("");
});

test("wait names the conditions of a pod that has not the one that is waited for", async () => {
  const api = new FakeAgent();
  const { socket } = await startFake(api);
  api.setPods([aPod("web"), aPod("bare", { status: { conditions: [] } })]);
  const wait = (goal: string) =>
    hooklet(`wait --for ${goal} pod/web pod/bare --timeout 50ms`, fakeIo({ HOOKLET_SOCKET: socket }));
  const late = "error: timed out waiting for";
  expect((await wait("condition=Redy")).err).toBe(
    `${late} condition=Redy on pods/web: it has no condition Redy; it has Ready. Did you mean "Ready"?\n${late} condition=Redy on pods/bare\n`,
  );
  expect((await wait("condition=ready=x")).err).toBe(
    `${late} condition=ready=x on pods/web\n${late} condition=ready=x on pods/bare\n`,
  );
});

test("plan hands options on in each of their forms", async () => {
  const api = new FakeAgent();
  const { socket } = await startFake(api);
  const run = (words: string) => hooklet(words, fakeIo({ HOOKLET_SOCKET: socket }));
  expect((await run("plan sample --until=70 --all --name web --x= --last")).err).toBe("sample would do nothing now.\n");
  expect(api.calls).toEqual([
    ["plan", "sample", { arguments: { until: "70", all: "true", name: "web", x: "", last: "true" } }],
  ]);
  expect((await run("plan sample -o json")).out).toBe("[]\n");
});
