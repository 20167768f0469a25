import { expect, test } from "@jest/globals";
import { hookletsWay, withDashes } from "../../src/kubectl-habits.js";

const unknown = (option: string): string => `error: unknown option '${option}'`;

const required = (option: string): string => `error: required option '${option} <x>' not specified`;

test.each([
  ["a command", "edit pod web", "error: unknown command 'edit'", /hooklet apply -f FILE/],
  ["an option", "delete --all", unknown("--all"), /hooklet delete \$\(hooklet get pods -o name\)/],
  ["an option with its value", "get pods --sort-by=.x", unknown("--sort-by=.x"), /custom-columns=STARTED/],
  ["a namespace, which the manifest has", "apply -n shop -f x", unknown("-n"), /metadata\.namespace/],
  ["a selector", "restart -l app=web", unknown("-l"), /restart \$\(hooklet get pods -l LABELS -o name\)/],
  ["events of one object", "get events --for pod/web", unknown("--for"), /hooklet events --for KIND\/NAME/],
  ["a short option with its value", "delete -lapp=web", unknown("-lapp=web"), /get pods -l LABELS -o name/],
  ["an option behind those of every command", "--root-dir /r apply --dry-run -f x", unknown("--dry-run"), /check FILE/],
  ["run as kubectl has it", "run nginx --image=nginx", unknown("--image=nginx"), /hooklet run starts the agent/],
  ["an option of the command that exec runs", "exec web ls -la", unknown("-la"), /: hooklet exec web -- ls -la$/],
  [
    "apply of a file without -f",
    "apply crash.yaml",
    required("-f"),
    /^Put -f before the file: hooklet apply -f crash.yaml$/,
  ],
  ["apply -k", "apply -k .", required("-f"), /kubectl kustomize DIR/],
  [
    "wait without --for or a pod",
    "wait",
    required("--for"),
    /^For example: hooklet wait --for condition=Ready pod\/POD$/,
  ],
  [
    "apply of several files without -f",
    "apply a.yaml --socket /s b.yaml",
    required("-f"),
    /^Put -f before the file: hooklet apply -f a.yaml -f b.yaml$/,
  ],
  ["exec with options of its own", "exec -it web ls -la /", unknown("-la"), /: hooklet exec -it web -- ls -la \/$/],
  ["a short option", "get pods -L app", unknown("-L"), /--show-labels/],
  [
    "wait without --for",
    "wait pod app",
    required("--for"),
    /^For example: hooklet wait --for condition=Ready pod app$/,
  ],
])("kubectl's habits: %s", (_, words, error, hint) => expect(hookletsWay(error, words.split(" "))).toMatch(hint));

test.each([
  ["another required option of a command that is not apply", "logs -c x", required("--pod")],
  ["apply of nothing", "apply", required("-f")],
  ["an error about something else", "get pods", "error: missing required argument 'kind'"],
  ["exec without a command", "exec web -x", unknown("-x")],
  ["a long option whose first two letters are known", "get pods -Lx --Lx", unknown("--Lx")],
  ["a typo", "gte pods", "error: unknown command 'gte'"],
  ["an option that no command has", "get pods --nope", unknown("--nope")],
  ["an option of exec itself", "exec --nope web ls", unknown("--nope")],
])("nothing is said of %s", (_, words, error) => expect(hookletsWay(error, words.split(" "))).toBeUndefined());

test.each(
  "edit diff cordon uncordon drain taint debug label annotate patch replace set scale autoscale expose rollout api-resources api-versions cluster-info config auth proxy ps status start stop".split(
    " ",
  ),
)("of kubectl %s hooklet says its own way, in a sentence", (command) => {
  expect(hookletsWay(`error: unknown command '${command}'`, [command])).toMatch(/^[A-Zh].{10,}\w\)?\.?$/);
});

test.each(
  Object.entries({
    get: "--sort-by -L --label-columns -f --filename -R",
    delete: "--all -l --selector -A --force --now --cascade --ignore-not-found",
    apply: "--dry-run -R --recursive --prune -k --server-side --force",
    create: "-f --filename",
    run: "--image --restart --rm",
    version: "--client",
    describe: "-f --show-events",
    explain: "--recursive",
  }).flatMap(([command, options]) => options.split(" ").map((option) => [command, option] as const)),
)("of kubectl %s %s hooklet says its own way", (command, option) => {
  expect(hookletsWay(unknown(option), [command, option])).toMatch(/^\w.{6,}/);
});

test.each<[string, readonly string[], string | undefined]>([
  ["exec db sh -c ls", ["sh", "ls"], "Put -- before the command: hooklet exec db -- sh -c ls"],
  ["exec db sh -c|echo hi", ["sh", "echo hi"], 'Put -- before the command: hooklet exec db -- sh -c "echo hi"'],
  ["exec -c main db ls", ["ls"], undefined],
  ["exec db -c main -- sh -c ls", ["sh", "-c", "ls"], undefined],
])("whose options the words of %j are", (line, command, hint) =>
  expect(
    withDashes(
      line.split("|").flatMap((part, at) => (at === 0 ? part.split(" ") : part)),
      command,
    ),
  ).toBe(hint),
);
