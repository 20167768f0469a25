// Tests run the TypeScript sources as native ES modules; `pnpm test` sets --experimental-vm-modules.
export default {
  testMatch: [
    "<rootDir>/packages/*/test/**/*.test.ts",
    "<rootDir>/conformance/**/*.test.ts",
    "<rootDir>/fuzz/**/*.test.ts",
    "<rootDir>/test/**/*.test.ts",
  ],
  // Real pressure, real disks, real plugins, real clusters, real time, other Nodes: too long for every run. `pnpm e2e:plugins`,
  // `pnpm e2e:kube`, `pnpm truth` and `pnpm e2e:install` run them.
  testPathIgnorePatterns: [
    "/node_modules/",
    ...["plugins", "kube", "truth", "install"]
      .filter((name) => name !== process.env.HOOKLET_STORIES)
      .map((name) => `/test/e2e/${name}/`),
  ],
  // Waits end on conditions; on a busy machine with two cores these may take long.
  testTimeout: 180_000,
  setupFilesAfterEnv: ["<rootDir>/test/seed.mjs"],
  testEnvironment: "node",
  testEnvironmentOptions: { customExportConditions: ["hooklet-source", "node", "node-addons"] },
  extensionsToTreatAsEsm: [".ts"],
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { target: "es2022", parser: { syntax: "typescript" } }, module: { type: "es6" } },
    ],
  },
  modulePathIgnorePatterns: ["/dist/"],
};
