/**
 * The rc file: from the search to the configuration of an agent. It finds and merges rc files, checks them, and loads the plugins and the
 * runtime that they name.
 */
export {
  type ConfigFault,
  ConfigFaultsError,
  faultText,
  isConfigFaultsError,
  type Path,
  pathText,
  type ValueFault,
  wordFault,
} from "./faults/faults.js";
export { parseWith } from "./faults/schema-faults.js";
export type { Layer } from "./layers.js";
export type { Importer } from "./load/import-file.js";
export { type Modules, nodeModules } from "./load/modules.js";
export { checkPlugin, parseOptions } from "./load/plugin-options.js";
export { type LoadConfigInput, loadConfig, withoutSources } from "./load-config.js";
export { type ConfigFlags, rcJsonSchema, rcOptionTable, withGenerated } from "./option-table.js";
export { searchPlaces } from "./rc-file.js";
export { locateIn, parseYamlText, type RcFile, TextFault } from "./rc-text.js";
