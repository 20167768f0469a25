// `npm run tarballs FOLDER`: installs, builds, and packs what would be published. npm install --global FOLDER/*.tgz takes it from there.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { tellHelp } from "./help.mjs";
import { installAndBuild, pnpm } from "./pnpm.mjs";

tellHelp(import.meta.url);

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Expected the folder to put the tarballs into: npm run tarballs /tmp/hooklet");
  process.exit(1);
}
const target = path.resolve(process.env.INIT_CWD ?? ".", folder);
mkdirSync(target, { recursive: true });
await installAndBuild();
pnpm("--filter", "./packages/*", "-r", "pack", "--pack-destination", target);
