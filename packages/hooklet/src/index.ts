/** What rc files and plugins are written with, under the name of the package that people install. */
export { defineConfig, definePlugin } from "@hooklet/core";
export { defaultPlugins, sourcePlugins } from "./default-plugins.js";
