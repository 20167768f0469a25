// Whether what is installed is what the lockfile says, by what pnpm itself has noted of its last installation.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/** False wherever there is a doubt: then pnpm has the last word. */
export function isInstalled(root) {
  const at = (...names) => path.join(root, ...names);
  const state = at("node_modules/.pnpm-workspace-state-v1.json");
  const files = [state, at("node_modules/.pnpm/lock.yaml"), at("pnpm-lock.yaml")];
  if (!files.every((file) => existsSync(file))) return false;
  const [noted, installed, wanted] = files.map((file) => readFileSync(file, "utf8"));
  if (installed !== wanted) return false;
  const { lastValidatedTimestamp: time, projects } = parsed(noted);
  const folders = Object.keys(projects ?? {});
  if (!folders.includes(path.resolve(root))) return false;
  const manifests = [...folders.map((folder) => path.join(folder, "package.json")), at("pnpm-workspace.yaml")];
  if (!manifests.every((file) => existsSync(file) && statSync(file).mtimeMs <= time)) return false;
  return folders.every((folder) => !needsModules(folder) || existsSync(path.join(folder, "node_modules")));
}

/** How far an installation is: packages that are there, of those that the lockfile names. */
export function installedText(root) {
  const folder = path.join(root, "node_modules/.pnpm");
  const count = existsSync(folder) ? readdirSync(folder).filter((name) => name.includes("@")).length : 0;
  const [, snapshots = ""] = readFileSync(path.join(root, "pnpm-lock.yaml"), "utf8").split(/^snapshots:$/m);
  const all = snapshots.match(/^ {2}\S.*:/gm)?.length ?? 0;
  return count === 0 ? "fetching" : `${Math.min(count, all)} of ${all} packages`;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function needsModules(folder) {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(path.join(folder, "package.json"), "utf8"),
  );
  return Object.keys({ ...dependencies, ...devDependencies }).length > 0;
}
