/** A program in the place of skopeo: it answers out of a folder, and notes how it was started. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@hooklet/core";
import type { ProcessIdentity, Signals } from "@hooklet/linux";
import { systemClock } from "@hooklet/utils";
import { installScripts } from "../src/command/scripts.js";
import { findTools } from "../src/command/toolbox.js";
import type { SkopeoDeps } from "../src/pull/skopeo.js";
import { sha256 } from "./real/image/archives.js";

/** `inspect` gives a file by the last word's tag or digest, `copy` all blobs of `FOLDER/blobs` that are not there; before that it runs the file `first`. */
const PROGRAM = (folder: string) => `#!/bin/sh
printf '%s\\n' "$@" >>'${folder}/words'
echo . >>'${folder}/words'
env >'${folder}/environment'
if test -f '${folder}/first'; then . '${folder}/first'; fi
kind=manifests target= image=
for word do
  case $word in
  --config) kind=configs ;;
  docker://*) image=\${word##*[:@]} ;;
  esac
  if test "$before" = --dest-shared-blob-dir; then target=$word; fi
  before=$word
done
if test -z "$target"; then cat "${folder}/$kind/$image"; exit; fi
for blob in '${folder}'/blobs/*; do
  to=$target/sha256/\${blob##*/}
  test -e "$to" || cat "$blob" >"$to"
done
`;

export class FakeSkopeo {
  readonly folder = mkdtempSync(join(tmpdir(), "hooklet-skopeo-"));
  readonly program = join(this.folder, "skopeo");

  constructor() {
    for (const name of ["manifests", "configs", "blobs"]) mkdirSync(join(this.folder, name));
    writeFileSync(this.program, PROGRAM(this.folder));
    chmodSync(this.program, 0o755);
  }

  put(kind: "manifests" | "configs" | "blobs", name: string, content: string | Buffer): void {
    writeFileSync(join(this.folder, kind, name), content);
  }

  /** An image of a registry, with what is changed in its manifest or its config. */
  image(
    tag: string,
    layers: readonly Buffer[],
    { manifest = {}, config = {} }: { readonly manifest?: object; readonly config?: object } = {},
  ): string {
    const text = JSON.stringify({
      config: { Cmd: ["app"] },
      rootfs: { diff_ids: layers.map((layer) => `sha256:${sha256(layer)}`) },
      ...config,
    });
    for (const layer of layers) this.put("blobs", sha256(layer), layer);
    const listed = layers.map((layer) => ({ digest: `sha256:${sha256(layer)}`, size: layer.length }));
    const whole = JSON.stringify({ config: { digest: `sha256:${sha256(text)}` }, layers: listed, ...manifest });
    const digest = sha256(whole);
    for (const name of [tag, digest]) this.put("manifests", name, whole);
    this.put("configs", digest, text);
    return `sha256:${digest}`;
  }

  /** What the program does before anything else, as shell text. */
  first(script: string): void {
    writeFileSync(join(this.folder, "first"), script);
  }

  /** The words of each start. */
  starts(): readonly (readonly string[])[] {
    const file = join(this.folder, "words");
    if (!existsSync(file)) return [];
    const runs = readFileSync(file, "utf8").split("\n.\n").slice(0, -1);
    return runs.map((run) => run.split("\n"));
  }

  environment(): Readonly<Record<string, string>> {
    const lines = readFileSync(join(this.folder, "environment"), "utf8").trim().split("\n");
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
  }

  /** What a pull needs of the runtime, as an ordinary user has it without namespaces. */
  async deps(): Promise<SkopeoDeps> {
    const scripts = await installScripts(this.folder);
    const isolation = { mode: "none", processesApart: false, volatileLayers: false } as const;
    return { clock: hurried, tools: findTools(), scripts, isolation, asRoot: false, signals: ownSignals };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** To skopeos of tests alone: code that is broken on purpose must not end what else runs on the machine. */
const ownSignals = {
  send: async ({ pid }: ProcessIdentity, signal: number): Promise<boolean> => {
    const environment = unlessGone("", () => readFileSync(`/proc/${pid}/environ`, "utf8"));
    if (environment !== "" && !environment.includes(PULLED)) throw new Error(`process ${pid} is no skopeo of a test`);
    return environment !== "" && unlessGone(false, () => process.kill(pid, signal));
  },
} as Signals;

function unlessGone<T>(otherwise: T, work: () => T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/** In the name of the folder that a test pulls to. */
export const PULLED = "hooklet-pulled-";

/** A second takes ten milliseconds: a limit that no test is to reach has thousands, for a busy machine. */
const hurried: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * 100,
  schedule: (milliseconds, run) => systemClock.schedule(milliseconds / 100, run),
};
