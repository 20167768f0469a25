// Writes what the documents say about options from the schema itself, and about isolation from the rows of `hooklet describe node`. Run after a build: node scripts/generate-docs.mjs
import { readFile, writeFile } from "node:fs/promises";
import { commandPage } from "./command-page.mjs";
import { tellHelp } from "./help.mjs";
import { memberTables } from "./member-tables.mjs";

tellHelp(import.meta.url);

// Only there once all is built.
const { rcJsonSchema } = await import("../packages/config/dist/index.js");
const { rcOptionTable, withGenerated } = await import("../packages/config/dist/index.js");
const { sourcePlugins } = await import("../packages/hooklet/dist/default-plugins.js");
const { isolationTable } = await import("../packages/runtime-process/dist/isolation-table.js");
const { scenarioJsonSchema } = await import("../packages/simulate/dist/index.js");

const { buildProgram } = await import("../packages/cli/dist/program.js");
const { program } = await import("../packages/hooklet/dist/program.js");

const { command } = buildProgram(program("", { url: import.meta.url, plugins: [], sourcePlugins: [] }), process);
await writeFile(new URL("../docs/reference/cli.md", import.meta.url), commandPage(command));
const page = new URL("../docs/reference/rc-file.md", import.meta.url);
await writeFile(page, withGenerated(await readFile(page, "utf8"), "options", rcOptionTable(sourcePlugins)));
const runtime = new URL("../packages/runtime-process/README.md", import.meta.url);
await writeFile(runtime, withGenerated(await readFile(runtime, "utf8"), "isolation", isolationTable()));
const guide = new URL("../docs/reference/plugins.md", import.meta.url);
const tables = Object.entries(await memberTables(new URL("../", import.meta.url)));
await writeFile(
  guide,
  tables.reduce((text, [section, table]) => withGenerated(text, section, table), await readFile(guide, "utf8")),
);
const schema = new URL("../packages/hooklet/hookletrc.schema.json", import.meta.url);
await writeFile(schema, `${JSON.stringify(rcJsonSchema(sourcePlugins), null, 2)}\n`);
const scenario = new URL("../packages/simulate/scenario.schema.json", import.meta.url);
await writeFile(scenario, `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`);
