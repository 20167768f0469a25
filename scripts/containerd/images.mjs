// Builds the images of the tests without a registry: root folders packed as docker archives, imported with ctr.

import { execFileSync, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { PAUSE } from "./config.mjs";

const SOURCES = fileURLToPath(new URL("images/", import.meta.url));
const BUSYBOX = ["/bin/busybox", "/usr/bin/busybox"];

/** name: [image names], fill: puts files into the root folder, config: of the image. */
const IMAGES = {
  pause: { names: [PAUSE], fill: fillPause, config: { Entrypoint: ["/pause"] } },
  busybox: {
    names: [
      "busybox:latest",
      "hk.local/busybox:1",
      "busybox:1",
      "busybox:1.28",
      "busybox:1.36",
      "busybox:stable",
      "busybox:musl",
      "registry.k8s.io/busybox:latest",
      "registry.k8s.io/busybox:1.27.2",
      "gcr.io/k8s-debug/busybox:latest",
    ],
    fill: fillBusybox,
    config: { Cmd: ["sh"] },
  },
  web: {
    names: ["nginx:latest", "nginx:1.14.2", "nginx:alpine", "httpd:latest"],
    fill: fillWeb,
    config: { Entrypoint: ["/bin/busybox", "httpd", "-f", "-p", "80", "-h", "/www"] },
  },
  server: {
    names: ["hooklet.test/server:1", "registry.k8s.io/e2e-test-images/agnhost:2.40"],
    fill: fillServer,
    config: { Entrypoint: ["/usr/bin/node", "/server.mjs"] },
  },
  "user-1000": { names: ["hooklet.test/user:1000"], fill: fillBusybox, config: { Cmd: ["sh"], User: "1000" } },
  "user-name": { names: ["hooklet.test/user:name"], fill: fillBusybox, config: { Cmd: ["sh"], User: "somebody" } },
};

/** Archives of all images (or of those named), built once per source; returns the files. */
export function buildImages(folder, wanted = Object.keys(IMAGES)) {
  mkdirSync(folder, { recursive: true });
  return wanted.map((name) => {
    const image = IMAGES[name];
    const key = createHash("sha256").update(
      JSON.stringify([image.names, image.config, image.fill.toString(), process.version]),
    );
    for (const source of ["pause.c", "printenv", "server.mjs"]) key.update(readFileSync(path.join(SOURCES, source)));
    const file = path.join(folder, `${name}-${key.digest("hex").slice(0, 12)}.tar`);
    if (!existsSync(file)) build(image, file);
    return file;
  });
}

/** Names that the images are imported under, as CRI shows them. */
export function imageNames(wanted = Object.keys(IMAGES)) {
  return wanted.flatMap((name) => IMAGES[name].names.map(fullName));
}

/** An image of `megabytes` random bytes, which share nothing with any other: gives its archive, to be removed by the caller. */
export function buildBlob(folder, name, megabytes) {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `blob-${process.pid}-${name.replaceAll(/[^a-z0-9]/g, "-")}.tar`);
  const fill = (rootfs) => writeFileSync(path.join(rootfs, "blob"), randomBytes(megabytes * 1024 ** 2));
  build({ names: [name], fill, config: { Cmd: ["/blob"] } }, file);
  return file;
}

function build(image, file) {
  const work = mkdtempSync(path.join(tmpdir(), "hooklet-image-"));
  try {
    const rootfs = path.join(work, "rootfs");
    mkdirSync(rootfs);
    for (const folder of ["dev", "etc", "proc", "sys", "tmp", "run", "var/log", "root"])
      mkdirSync(path.join(rootfs, folder), { recursive: true });
    chmodSync(path.join(rootfs, "tmp"), 0o1777);
    image.fill(rootfs);
    writeFileSync(
      path.join(rootfs, "etc/passwd"),
      "root:x:0:0:root:/root:/bin/sh\nsomebody:x:1001:1001::/tmp:/bin/sh\n",
    );
    writeFileSync(path.join(rootfs, "etc/group"), "root:x:0:\nsomebody:x:1001:\n");
    const archive = path.join(work, "archive");
    mkdirSync(archive);
    const layer = path.join(archive, "layer.tar");
    const same = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
    execFileSync("tar", [...same, "-C", rootfs, "-cf", layer, "."]);
    const diffId = `sha256:${createHash("sha256").update(readFileSync(layer)).digest("hex")}`;
    const architecture = process.arch === "x64" ? "amd64" : process.arch;
    const config = JSON.stringify({
      architecture,
      os: "linux",
      config: { Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"], ...image.config },
      rootfs: { type: "layers", diff_ids: [diffId] },
    });
    const configName = `${createHash("sha256").update(config).digest("hex")}.json`;
    writeFileSync(path.join(archive, configName), config);
    const manifest = [{ Config: configName, RepoTags: image.names.map(fullName), Layers: ["layer.tar"] }];
    writeFileSync(path.join(archive, "manifest.json"), JSON.stringify(manifest));
    execFileSync("tar", [
      ...same,
      "-C",
      archive,
      "-cf",
      `${file}.${process.pid}`,
      "manifest.json",
      configName,
      "layer.tar",
    ]);
    renameSync(`${file}.${process.pid}`, file);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function fullName(name) {
  if (/^[^/]*\.[^/]*\//.test(name)) return name;
  return name.includes("/") ? `docker.io/${name}` : `docker.io/library/${name}`;
}

/** A few lines of C where there is a compiler, else busybox's shell, which reaps and ends on TERM as well. */
function fillPause(rootfs) {
  const pause = path.join(rootfs, "pause");
  const cc = spawnSync("cc", ["-Os", "-static", "-s", "-o", pause, path.join(SOURCES, "pause.c")], { stdio: "pipe" });
  if (cc.status === 0) return;
  fillBusybox(rootfs);
  writeFileSync(pause, "#!/bin/sh\ntrap 'exit 0' TERM INT\nwhile :; do sleep 3600 & wait $!; done\n", { mode: 0o755 });
}

function fillBusybox(rootfs) {
  const busybox = BUSYBOX.find((file) => existsSync(file));
  if (busybox === undefined)
    throw new Error("busybox is missing: `node scripts/containerd.mjs install` installs busybox-static");
  const bin = path.join(rootfs, "bin");
  mkdirSync(bin);
  copyFileSync(busybox, path.join(bin, "busybox"));
  chmodSync(path.join(bin, "busybox"), 0o755);
  const applets = execFileSync(busybox, ["--list"], { encoding: "utf8" }).trim().split("\n");
  for (const applet of applets) if (applet !== "busybox") symlinkSync("busybox", path.join(bin, applet));
  if (applets.includes("printenv")) return;
  copyFileSync(path.join(SOURCES, "printenv"), path.join(bin, "printenv"));
  chmodSync(path.join(bin, "printenv"), 0o755);
}

function fillWeb(rootfs) {
  fillBusybox(rootfs);
  for (const folder of ["www", "usr/share/nginx"]) mkdirSync(path.join(rootfs, folder), { recursive: true });
  writeFileSync(path.join(rootfs, "www/index.html"), "<h1>Welcome to nginx!</h1>\n");
  symlinkSync("/www", path.join(rootfs, "usr/share/nginx/html"));
}

/** This very Node with the libraries it is linked to: HTTP, TCP and gRPC need no other toolchain. */
function fillServer(rootfs) {
  fillBusybox(rootfs);
  const files = execFileSync("ldd", [process.execPath], { encoding: "utf8" }).matchAll(/(\/[^\s()]+)/g);
  for (const [file] of files) {
    mkdirSync(path.join(rootfs, path.dirname(file)), { recursive: true });
    copyFileSync(file, path.join(rootfs, file));
  }
  mkdirSync(path.join(rootfs, "usr/bin"), { recursive: true });
  copyFileSync(process.execPath, path.join(rootfs, "usr/bin/node"));
  copyFileSync(path.join(SOURCES, "server.mjs"), path.join(rootfs, "server.mjs"));
}
