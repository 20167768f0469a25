// Writes what every published package says of where it comes from, from the root's package.json: node scripts/package-fields.mjs
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const { repository, homepage, bugs } = JSON.parse(readFileSync("package.json", "utf8"));
const web = homepage.replace(/#.*$/, "");
for (const folder of readdirSync("packages")) {
  const file = `packages/${folder}/package.json`;
  const { name, version, description, keywords, ...rest } = JSON.parse(readFileSync(file, "utf8"));
  const fields = {
    homepage: `${web}/tree/main/packages/${folder}#readme`,
    bugs,
    repository: { ...repository, directory: `packages/${folder}` },
    publishConfig: { access: "public", provenance: true },
  };
  for (const key of Object.keys(fields)) delete rest[key];
  const { publishConfig, ...from } = fields;
  const { license, type, engines, bin, files, sideEffects, exports, ...needs } = rest;
  const shape = { license, type, engines, bin, files, sideEffects, exports, publishConfig };
  const whole = { name, version, description, keywords, ...from, ...shape, ...needs };
  writeFileSync(file, `${JSON.stringify(whole, null, 2)}\n`);
}
