// Writes the public names of core, entry by entry, to api/core*.api.md. Run after a build; with --check it only checks whether
// the reports are current: then a change of the contract shows in the diff. The test is test/unit/rules/api-report.test.ts.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { tellHelp } from "./help.mjs";
import { root } from "./pnpm.mjs";

tellHelp(import.meta.url);

// Only there once all is installed.
const { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } = await import("@microsoft/api-extractor");

const check = process.argv.includes("--check");
/** Name of the report -> file of the entry. */
const entryFiles = {
  core: "index",
  "core.subsystem": "subsystem",
  "core.rules": "rules",
  "core.host": "host",
  "core.internal": "internal",
  "core.base": "base",
};
const compilerOptions = {
  target: "es2023",
  lib: ["es2023"],
  module: "nodenext",
  moduleResolution: "nodenext",
  strict: true,
  skipLibCheck: true,
  types: ["node"],
};
const core = path.join(root, "packages/core");
const folder = mkdtempSync(path.join(tmpdir(), "hooklet-api-"));
const reportFolder = path.join(root, "api");
mkdirSync(reportFolder, { recursive: true });

const silent = { logLevel: ExtractorLogLevel.None };
const configOf = ([name, entry]) =>
  ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: path.join(core, "package.json"),
    configObject: {
      projectFolder: core,
      mainEntryPointFilePath: path.join(core, `dist/${entry}.d.ts`),
      compiler: {
        overrideTsconfig: { compilerOptions, files: Object.values(entryFiles).map((one) => `dist/${one}.d.ts`) },
      },
      // What core shows of packages of its own is part of its contract.
      bundledPackages: ["@hooklet/cri-api", "@hooklet/logs", "@hooklet/volumes"],
      apiReport: { enabled: true, reportFileName: `${name}.api.md`, reportFolder, reportTempFolder: folder },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: "lf",
      messages: {
        // The report is about shapes: comments are free prose here, and what an entry does not export is seen in the diff.
        tsdocMessageReporting: { default: silent },
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.Warning },
          "ae-missing-release-tag": silent,
          "ae-forgotten-export": silent,
        },
      },
    },
  });

const configs = Object.entries(entryFiles).map(configOf);
const additionalEntryPoints = configs.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath);
const compilerState = CompilerState.create(configs[0], { additionalEntryPoints });
const changed = [];
for (const config of configs) {
  const { apiReportChanged, errorCount } = Extractor.invoke(config, {
    compilerState,
    localBuild: !check,
    messageCallback: (message) => {
      message.handled = message.logLevel !== ExtractorLogLevel.Error;
    },
  });
  if (errorCount > 0) process.exitCode = 1;
  if (apiReportChanged) changed.push(path.relative(root, config.reportFilePath));
}
rmSync(folder, { recursive: true, force: true });
if (changed.length > 0) console.log(`${check ? "not current" : "written"}: ${changed.join(", ")}`);
if (check && changed.length > 0) {
  console.log("The contract of core has changed: build, run node scripts/api-report.mjs, and read the diff of api/.");
  process.exitCode = 1;
}
