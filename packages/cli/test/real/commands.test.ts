import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RuntimeError } from "@hooklet/core/host";
import { ManifestError } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { FakeAgent } from "../../../server/test/fake-agent.js";
import { anEvent, aPod } from "../../../server/test/samples.js";
import { startFake, temporaryFolder } from "../../../server/test/start.js";
import { fakeIo, hooklet, type Result } from "../cli.js";

async function withFake(
  api = new FakeAgent(),
): Promise<{ api: FakeAgent; socket: string; run(words: string, stdin?: string): Promise<Result> }> {
  const { socket } = await startFake(api);
  return { api, socket, run: (words, stdin) => hooklet(words, fakeIo({ HOOKLET_SOCKET: socket }, stdin)) };
}

describe("get", () => {
  test("pods are kubectl's table", async () => {
    const { api, run } = await withFake();
    api.setPods([aPod("web"), aPod("db")]);
    expect(await run("get pods")).toEqual({
      code: 0,
      out: "NAME   READY   STATUS    RESTARTS   AGE\nweb    1/1     Running   0          60s\ndb     1/1     Running   0          60s\n",
      err: "",
    });
    expect((await run("get po web -o wide")).out.split("\n")[0]).toBe(
      "NAME   READY   STATUS    RESTARTS   AGE   IP         NODE",
    );
  });

  test("without pods it says so on standard error", async () => {
    const { run } = await withFake();
    expect(await run("get pods")).toEqual({ code: 0, out: "", err: "No resources found in default namespace.\n" });
    expect((await run("get pods -n kube-system")).err).toBe("No resources found in kube-system namespace.\n");
    expect((await run("get pods -A")).err).toBe("No resources found\n");
  });

  test("pods of other namespaces are shown with -n and -A only", async () => {
    const { api, run } = await withFake();
    api.setPods([aPod("web"), aPod("dns", { metadata: { namespace: "kube-system" } })]);
    expect((await run("get pods")).out).not.toContain("dns");
    expect((await run("get pods -n kube-system")).out).toContain("dns");
    expect((await run("get pods -A")).out).toContain("NAMESPACE     NAME");
  });

  test("one pod by name as JSON is an object, several are a List", async () => {
    const { api, run } = await withFake();
    api.setPods([aPod("web")]);
    expect(JSON.parse((await run("get pod web -o json")).out)).toMatchObject({
      kind: "Pod",
      metadata: { name: "web" },
    });
    expect(JSON.parse((await run("get pods -o json")).out)).toMatchObject({ kind: "List", items: [{ kind: "Pod" }] });
    expect((await run("get pod/web -o yaml")).out).toContain("kind: Pod\n");
  });

  test("an empty list as JSON is still a List", async () => {
    const { run } = await withFake();
    expect(JSON.parse((await run("get pods -o json")).out)).toMatchObject({ kind: "List", items: [] });
  });

  test("an unknown pod and an unknown kind come with the nearest names", async () => {
    const api = new FakeAgent();
    api.tables = { widgets: { columns: [{ name: "name" }], rows: [] } };
    const { run } = await withFake(api);
    api.setPods([aPod("website")]);
    expect(await run("get pod websit")).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining('Did you mean "website"?'),
    });
    expect(await run("get widgts")).toMatchObject({ code: 1, err: expect.stringContaining('Did you mean "widgets"?') });
    expect(await run("get widgets")).toMatchObject({ code: 0, err: "No resources found\n" });
  });

  test("a plugin's table goes by its singular and kubectl's short name, too; known kinds are named once", async () => {
    const api = new FakeAgent();
    api.tables = {
      configmaps: { columns: [{ name: "name" }], rows: [{ name: "a" }] },
      images: { columns: [], rows: [] },
    };
    const { run } = await withFake(api);
    for (const name of ["configmaps", "configmap", "cm"]) expect((await run(`get ${name}`)).out).toBe("NAME\na\n");
    expect((await run("get nothing")).err).toContain("known are configmaps, events, images, node, plugins, pods.");
  });

  test("ConfigMaps and Secrets are manifests that can be applied again; their table goes by name", async () => {
    const api = new FakeAgent();
    const columns = [{ name: "namespace" }, { name: "name" }];
    api.tables = {
      configmaps: {
        columns,
        rows: [
          { namespace: "default", name: "settings" },
          { namespace: "prod", name: "other" },
        ],
      },
    };
    const settings = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "default", name: "settings" },
      data: { level: "info" },
    } as const;
    const login = { ...settings, kind: "Secret", data: { password: "aHVudGVyMg==" } } as const;
    api.applied = [settings, { ...settings, metadata: { namespace: "prod", name: "other" } }, login];
    const { run } = await withFake(api);
    expect((await run("get cm settings")).out).toBe("NAMESPACE   NAME\ndefault     settings\n");
    expect((await run("get cm -n prod")).out).toBe("NAMESPACE   NAME\nprod        other\n");
    expect((await run("get cm -o name")).out).toBe("configmap/settings\nconfigmap/other\n");
    expect(JSON.parse((await run("get cm settings -o json")).out)).toEqual(settings);
    expect(JSON.parse((await run("get secrets -o json")).out)).toMatchObject({ kind: "List", items: [login] });
    expect((await run("get cm -n prod -o jsonpath={.items[*].metadata.name}")).out).toBe("other");
    expect((await run("get configmap setings -o yaml")).err).toContain(
      'No ConfigMap "setings". Did you mean "settings"?',
    );
  });

  test("a table of a plugin is shown like any other", async () => {
    const api = new FakeAgent();
    api.tables = {
      things: { columns: [{ name: "name" }, { name: "size", wide: true }], rows: [{ name: "a", size: 3 }] },
    };
    const { run } = await withFake(api);
    expect((await run("get things")).out).toBe("NAME\na\n");
    expect((await run("get things -o wide")).out).toBe("NAME   SIZE\na      3\n");
    expect(JSON.parse((await run("get things -o json")).out)).toEqual([{ name: "a", size: 3 }]);
  });

  test("a node that is not ready names the part that is not, and since when", async () => {
    const { api, run } = await withFake();
    const message = "container runtime is down: no answer within 5 s";
    api.healthReport = { ok: false, parts: [{ name: "runtime cri", ok: false, message }] };
    expect((await run("describe node")).out).toMatch(
      /^ {2}Ready +False +KubeletNotReady +runtime cri: container runtime is down: no answer within 5 s$/m,
    );
    api.setPods([aPod("web", { status: { phase: "Pending", conditions: [{ type: "Ready", status: "False" }] } })]);
    expect((await run("explain pod web")).out).toContain(`The container runtime does not answer: ${message}.`);
  });

  test("node and plugins", async () => {
    const { run } = await withFake();
    expect((await run("get node")).out).toBe("NAME    STATUS   AGE   VERSION\nnode1   Ready    60m   hooklet-1.2.3\n");
    const node = (await run("describe node")).out;
    expect(node).toContain("Agent:     hooklet 1.2.3, up 60s");
    expect(node).toMatch(/^ {2}Ready +True +60s +KubeletReady/m);
    expect(node).toMatch(/memory +8Gi +7Gi +64Mi/);
    expect(node).toMatch(/mounts +yes +a namespace each/);
    expect((await run("describe node node1")).out).toBe(node);
    for (const words of ["describe node nope", "describe node/nope"])
      expect(await run(words)).toMatchObject({ code: 1, out: "", err: expect.stringContaining('node "nope"') });
    expect((await run("get plugins")).out).toContain("sample   running   ok       podAdmit");
    expect((await run("get plugins -o wide")).out).toMatch(
      /sample +running +podAdmit +on +2 +0 +0 +0 +1\.5ms +default/,
    );
  });
});

describe("changing", () => {
  test("apply reads a file or standard input and prints the result for each pod", async () => {
    const { api, run } = await withFake();
    const file = join(await temporaryFolder(), "web.yaml");
    await writeFile(file, "kind: Pod");
    expect(await run(`apply -f ${file}`)).toEqual({ code: 0, out: "pod/web created\n", err: "" });
    expect((await run("apply -f -", "kind: Pod")).code).toBe(0);
    expect(api.calls).toEqual([
      ["apply", 9, file],
      ["apply", 9, "standard input"],
    ]);
  });

  test("apply goes on after a file or a document that is refused, prints each error and ends with 1", async () => {
    const { api, run } = await withFake();
    const folder = await temporaryFolder();
    await writeFile(join(folder, "a.yaml"), "kind: Nope\n");
    await writeFile(join(folder, "b.yaml"), "# none\n---\nname: b\n---\nkind: Nope\n--- # last\nname: c\n");
    const texts: string[] = [];
    api.apply = async (manifest, where) => {
      if (manifest.includes("Nope")) throw new ManifestError(where, [{ message: "no kind Nope" }]);
      texts.push(manifest);
      return [{ subject: `pod/${/name: (\w)/.exec(manifest)?.[1]}`, action: "created" }];
    };
    expect(await run(`apply -f ${folder}`)).toEqual({
      code: 1,
      out: "pod/b created\npod/c created\n",
      err: `error: ${folder}/a.yaml: no kind Nope\nerror: ${folder}/b.yaml: no kind Nope\n`,
    });
    expect(texts).toEqual(["\n---\nname: b\n", "\n\n\n\n\n--- # last\nname: c\n"]);
  });

  test("apply warns where the node enforces no memory limit of a pod", async () => {
    const { api, run } = await withFake();
    const resources = { limits: { memory: "64Mi" } };
    api.setPods([aPod("web", { spec: { containers: [{ name: "main", image: "host", resources }] } }), aPod("db")]);
    expect((await run("apply -f -", "kind: Pod")).err).toBe("");
    const node = await api.node();
    const isolation = [{ what: "cgroups", isolated: "no" as const, how: "cgroups cannot be written" }];
    api.node = async () => ({ ...node, runtime: { ...node.runtime, isolation } });
    expect(await run("apply -f -", "kind: Pod")).toEqual({
      code: 0,
      out: "pod/web created\n",
      err: "Warning: memory limits are not enforced on this node (pod web); hooklet describe node says why\n",
    });
  });

  test("a manifest that is not there is named", async () => {
    const { run } = await withFake();
    expect(await run("apply -f nowhere.yaml")).toMatchObject({
      code: 1,
      err: expect.stringContaining("Cannot read nowhere.yaml"),
    });
    expect(await run("apply")).toMatchObject({ code: 1, err: expect.stringContaining("-f, --filename") });
  });

  test("delete prints what it deleted, goes on after one that fails and then ends with 1", async () => {
    const { api, run } = await withFake();
    api.setPods([aPod("web"), aPod("db")]);
    const result = await run("delete pod nobody web --grace-period 3");
    expect(result).toMatchObject({
      code: 1,
      out: 'pod "web" deleted\n',
      err: expect.stringContaining('No pod "nobody"'),
    });
    expect(api.calls).toEqual([["deletePod", "web", { gracePeriodSeconds: 3 }]]);
    expect((await run("delete pod/db")).code).toBe(0);
  });

  test("restart takes pods of every source, and goes on after one that fails", async () => {
    const { api, run } = await withFake();
    api.setPods([aPod("web"), aPod("db")]);
    expect(await run("restart pod nobody web")).toMatchObject({
      code: 1,
      out: 'pod "web" restarting\n',
      err: expect.stringContaining('No pod "nobody"'),
    });
    expect((await run("restart pod/db")).code).toBe(0);
    expect(api.calls).toEqual([
      ["restartPod", "web"],
      ["restartPod", "db"],
    ]);
  });

  test("a habit of kubectl has one line with hooklet's way, and no name that is only spelt alike", async () => {
    const { run } = await withFake();
    expect(await run("edit pod web")).toEqual({
      code: 1,
      out: "",
      err: `error: unknown command 'edit'\nChange the manifest's file, then: hooklet apply -f FILE. A file of the manifest directory counts as soon as it is saved.\nTry "hooklet --help".\n`,
    });
    expect((await run("apply -f https://x/y.yaml")).err).toContain("curl -fsSL https://x/y.yaml | hooklet apply -f -");
    expect((await run("get pods,node")).err).toContain("one kind at a time");
    expect((await run("get pods -o yml")).err).toContain('Did you mean "yaml"?');
    expect((await run("describe events")).err).toContain("Events: hooklet events.");
    expect((await run("explain node")).err).toContain("hooklet describe node");
  });

  test("a short option takes its value behind an equals sign as well", async () => {
    const { api, run } = await withFake();
    api.setPods([aPod("web")]);
    expect((await run("get pods -n=default -o=name")).out).toBe("pod/web\n");
  });

  test("exec without -- does not take the command's options for its own", async () => {
    const { run } = await withFake();
    expect(await run("exec web sh -c ls")).toEqual({
      code: 1,
      out: "",
      err: "error: Put -- before the command: hooklet exec web -- sh -c ls\n",
    });
  });

  test("explain pods names the cause of each pod that is not Ready", async () => {
    const { api, run } = await withFake();
    expect((await run("explain pods")).out).toBe("Every pod is Ready or has done its work.\n");
    const status = { phase: "Failed", reason: "DeadlineExceeded", conditions: [], containerStatuses: [] };
    api.setPods([aPod("web"), aPod("slow", { status, spec: { activeDeadlineSeconds: 2 } })]);
    expect((await run("explain pods")).out).toMatch(/^pod default\/slow: The pod ran longer than .*\n {2}Next: Raise /);
  });

  test("delete waits until the pod is gone, unless --no-wait is given", async () => {
    const { api, run } = await withFake();
    const web = aPod("web");
    api.setPods([web]);
    let asked = 0;
    api.deletePod = async () => web;
    api.pods = () => {
      asked += 1;
      return asked < 3 ? [web] : [];
    };
    await run("delete pod web");
    expect(asked).toBe(3);
    await run("delete pod web --no-wait");
    expect(asked).toBe(3);
    // A pod of another name that waited for the uid is another pod.
    api.pods = () => [{ ...web, metadata: { ...web.metadata, name: "squatter" } }];
    expect((await run("delete pod web")).code).toBe(0);
  });

  test("delete -f takes the names from the manifest", async () => {
    const { api, run } = await withFake();
    api.setPods([aPod("web"), aPod("dns", { metadata: { namespace: "kube-system" } })]);
    const manifest = [
      "{apiVersion: v1, kind: Pod, metadata: {name: web}}",
      "{apiVersion: v1, kind: Pod, metadata: {name: dns, namespace: kube-system}}",
    ].join("\n---\n");
    expect((await run("delete -f -", manifest)).out).toBe('pod "web" deleted\npod "dns" deleted\n');
  });

  test("delete -f leaves the pod of the manifest folder that has the name with the node's suffix", async () => {
    const { api, run } = await withFake();
    api.setPods([aPod("web-node1")]);
    const result = await run("delete -f -", "{apiVersion: v1, kind: Pod, metadata: {name: web}}");
    expect(result).toEqual({ code: 1, out: "", err: 'error: No pod "web" in namespace "default".\n' });
    expect(api.calls).toEqual([]);
  });

  test("delete -f deletes what a pod uses once the pod is gone", async () => {
    const { api, run } = await withFake();
    api.setPods([aPod("web")]);
    const manifest =
      "kind: ConfigMap\napiVersion: v1\nmetadata: {name: conf}\n---\nkind: Pod\napiVersion: v1\nmetadata: {name: web}\n";
    const { out } = await run("delete -f -", manifest);
    expect(out).toBe('pod "web" deleted\nconfigmap "conf" deleted\n');
    expect(api.calls.map((call) => (call as unknown[])[0])).toEqual(["deletePod", "deleteObject"]);
    expect((await run("delete configmap/conf secret/login")).out).toBe(
      'configmap "conf" deleted\nsecret "login" deleted\n',
    );
  });

  test.each(["delete", "delete pod", "delete web", "delete node/x", "delete pod web --grace-period soon"])(
    "%s is refused",
    async (words) => {
      const { api, run } = await withFake();
      api.setPods([aPod("web")]);
      expect((await run(words)).code).toBe(1);
      expect(api.calls).toEqual([]);
    },
  );

  test("images and plugins", async () => {
    const api = new FakeAgent();
    api.imageList = [{ id: "sha256:a", repoTags: ["web:1"], repoDigests: [], size: 7, pinned: false }];
    const { run } = await withFake(api);
    expect((await run("image import web:1 web.tar")).out).toBe("sha256:web:1\n");
    expect((await run("image list")).out).toContain("web:1");
    expect((await run("image remove web:1")).out).toBe('image "web:1" removed\n');
    expect((await run("plugin off sample")).out).toBe('plugin "sample" is off\n');
    expect(await run("plugin on samle")).toMatchObject({
      code: 1,
      err: expect.stringContaining('Did you mean "sample"?'),
    });
    expect(api.calls).toEqual([
      ["importImage", "web:1", "/web.tar"],
      ["removeImage", "web:1"],
      ["switchPlugin", "sample", false],
    ]);
  });
});

describe("asking", () => {
  test("events are a table, or one v1 Event a line", async () => {
    const { api, run } = await withFake();
    expect(await run("events")).toEqual({ code: 0, out: "", err: "No events found.\n" });
    api.emit(anEvent("web", "Pulled"));
    api.emit(anEvent("db", "Started"));
    expect((await run("events")).out.split("\n")[1]).toBe("30s         Normal   Pulled    pod/web   Pulled of web");
    const lines = (await run("events -o json --for pod/web")).out.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ kind: "Event", reason: "Pulled", count: 1 }]);
    expect(await run("events --for web")).toMatchObject({ code: 1, err: expect.stringContaining("KIND/NAME") });
  });

  test("explain prints decisions, and says when there are none", async () => {
    const { api, run } = await withFake();
    expect((await run("explain device gpu-0")).err).toContain("Nothing is on record about device gpu-0");
    api.decisions = [
      { at: 0, plugin: "sample", strategy: "s", subject: "pod/default/web", considered: [], outcome: "kept" },
    ];
    expect((await run("explain pods web")).out).toContain("by sample (s)\n  kept");
    expect(JSON.parse((await run("explain pod web -o json")).out)).toMatchObject([{ outcome: "kept" }]);
  });

  test("plan hands unknown options on to the plugin", async () => {
    const { api, run } = await withFake();
    expect((await run("plan sample --until 70 --all --size=1Gi -f -", "kind: Pod")).err).toBe(
      "sample would do nothing now.\n",
    );
    expect(api.calls).toEqual([
      ["plan", "sample", { manifest: "kind: Pod", arguments: { until: "70", all: "true", size: "1Gi" } }],
    ]);
    expect(await run("plan sample stray")).toMatchObject({ code: 1, err: expect.stringContaining("--name value") });
  });

  test("describe lays a pod out with its events", async () => {
    const { api, run } = await withFake();
    api.setPods([aPod("web")]);
    api.emit(anEvent("web", "Started"));
    const { out } = await run("describe pod web");
    expect(out).toMatch(/^Name: {2,}web\n/);
    expect(out).toMatch(
      /Events:\n {2}Type {4}Reason {3}Age {3}From {5}Message\n {2}---- {4}------ {3}---- {2}---- {5}-------\n/,
    );
    expect(await run("describe pod")).toMatchObject({ code: 0 });
  });
});

describe("logs and exec", () => {
  test("logs write both streams to standard output, as kubectl does: what is piped on has all of it", async () => {
    const { api, run } = await withFake();
    api.setPods([aPod("web")]);
    const folder = await mkdtemp(join(tmpdir(), "hk-cli-"));
    const path = join(folder, "0.log");
    const time = "2026-11-21T09:59:59.000000001Z";
    await writeFile(path, `${time} stdout F out\n${time} stderr F err\n`);
    api.logFile = { path, format: "cri", ended: () => true };
    expect(await run("logs web -f")).toEqual({ code: 0, out: "out\nerr\n", err: "" });
    expect((await run("logs web --since 1s")).out).toBe("");
    expect((await run("logs web --timestamps --tail 1")).out).toBe(`${time} err\n`);
    expect(await run("logs web --tail few")).toMatchObject({ code: 1, err: expect.stringContaining("--tail") });
    api.logFile = { path, format: "raw", ended: () => true };
    expect(await run("logs web --timestamps")).toMatchObject({
      code: 1,
      err: expect.stringContaining("without times"),
    });
    await rm(folder, { recursive: true });
  });

  test("where several containers are meant it says which one it took", async () => {
    const { api, run } = await withFake();
    api.setPods([
      aPod("web", { spec: { containers: [{ name: "a" }, { name: "b" }], initContainers: [{ name: "i" }] } }),
    ]);
    api.execScript = () => ({ ...silent, exitCode: Promise.resolve(0) });
    expect((await run("exec web -- true")).err).toBe('Defaulted container "a" out of: a, b, i\n');
    expect((await run("exec web -c b -- true")).err).toBe("");
    expect(api.calls).toMatchObject([
      ["exec", "a", {}],
      ["exec", "b", {}],
    ]);
  });

  test("exec hands output and exit code on, and options behind -- to the command", async () => {
    const { api, run } = await withFake();
    api.setPods([aPod("web")]);
    api.execScript = (command, output) => {
      output("stdout", Buffer.from(command.join("|")));
      output("stderr", Buffer.from("oops"));
      return { ...silent, exitCode: Promise.resolve(42) };
    };
    expect(await run("exec web -- ls -l --socket x")).toEqual({ code: 42, out: "ls|-l|--socket|x", err: "oops" });
  });

  test.each([
    ['exec: "no": executable file not found in $PATH', 127],
    ['exec: "/no": stat /no: no such file or directory', 127],
    ['exec: "/etc/passwd": permission denied', 126],
    ["the runtime is gone", 1],
  ])("exec of what could not be run: %s", async (message, code) => {
    const { api, run } = await withFake();
    api.setPods([aPod("web")]);
    api.execScript = () => ({ ...silent, exitCode: Promise.reject(new RuntimeError("unknown", message)) });
    expect(await run("exec web -- no")).toMatchObject({ code, err: `error: ${message}\n` });
  });

  test("exec -i hands standard input on to its end", async () => {
    const { api, run } = await withFake();
    api.setPods([aPod("web")]);
    api.execScript = (_command, output) => {
      let end: (code: number) => void = () => undefined;
      return {
        ...silent,
        exitCode: new Promise((resolve) => {
          end = resolve;
        }),
        write: (data) => output("stdout", data),
        endInput: () => end(0),
      };
    };
    expect(await run("exec web -i -- cat", "hello\n")).toEqual({ code: 0, out: "hello\n", err: "" });
  });

  test("exec -t without a terminal goes on without one and says so", async () => {
    const { api, run } = await withFake();
    api.setPods([aPod("web")]);
    api.execScript = () => ({ ...silent, exitCode: Promise.resolve(0) });
    expect((await run("exec web -it -- true", "x")).err).toContain("Unable to use a TTY");
    expect(api.calls).toMatchObject([["exec", "main", { tty: false, stdin: true }]]);
  });
});

const silent = {
  write: () => undefined,
  endInput: () => undefined,
  resize: () => undefined,
  abort: () => undefined,
};
