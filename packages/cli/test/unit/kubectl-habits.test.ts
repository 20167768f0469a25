import { expect, test } from "@jest/globals";
import { hookletsWay } from "../../src/kubectl-habits.js";

const unknown = (option: string): string => `error: unknown option '${option}'`;

const required = (option: string): string => `error: required option '${option} <x>' not specified`;

test.each([
  ["a command", "edit pod web", "error: unknown command 'edit'", /hooklet apply -f FILE/],
  ["an option", "delete --all", unknown("--all"), /hooklet delete \$\(hooklet get pods -o name\)/],
  ["an option with its value", "get pods --sort-by=.x", unknown("--sort-by=.x"), /custom-columns=STARTED/],
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
    "wait without --for",
    "wait pod app",
    required("--for"),
    /^For example: hooklet wait --for condition=Ready pod app$/,
  ],
])("kubectl's habits: %s", (_, words, error, hint) => expect(hookletsWay(error, words.split(" "))).toMatch(hint));

test.each([
  ["a typo", "gte pods", "error: unknown command 'gte'"],
  ["an option that no command has", "get pods --nope", unknown("--nope")],
  ["an option of exec itself", "exec --nope web ls", unknown("--nope")],
])("nothing is said of %s", (_, words, error) => expect(hookletsWay(error, words.split(" "))).toBeUndefined());
