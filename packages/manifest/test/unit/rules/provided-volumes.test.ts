import { expect, test } from "@jest/globals";
import type { Volume } from "kubernetes-types/core/v1.js";
import { FieldFaults } from "../../../src/field-faults.js";
import { FieldPath } from "../../../src/path.js";
import { providedRule } from "../../../src/rules/provided-volumes.js";

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${LABEL}(\\.${LABEL})*')`;
const MODE = "must be a number between 0 and 0777 (octal), both inclusive";
const FIELD = { fieldRef: { fieldPath: "metadata.name" } };
const RESOURCE = { resourceFieldRef: { containerName: "main", resource: "limits.cpu" } };

test.each<[string, object, string[]]>([
  ["a ConfigMap has a name", { configMap: {} }, [".configMap.name: Required value"]],
  ["its name is a subdomain", { configMap: { name: "A_b" } }, [`.configMap.name: Invalid value: "A_b": ${SUBDOMAIN}`]],
  ["a Secret has a secretName", { secret: { name: "a" } }, [".secret.secretName: Required value"]],
  [
    "a Secret has a secretName that is not empty",
    { secret: { secretName: "" } },
    [".secret.secretName: Required value"],
  ],
  [
    "a Secret's name is a subdomain",
    { secret: { secretName: "A_b" } },
    [`.secret.secretName: Invalid value: "A_b": ${SUBDOMAIN}`],
  ],
  [
    "modes reach from 0 to 0777",
    {
      configMap: {
        name: "a",
        defaultMode: 0o777,
        items: [
          { key: "k", path: "a", mode: 0 },
          { key: "k", path: "b", mode: 0o1000 },
          { key: "k", path: "c", mode: -1 },
        ],
      },
    },
    [`.configMap.items[1].mode: Invalid value: 512: ${MODE}`, `.configMap.items[2].mode: Invalid value: -1: ${MODE}`],
  ],
  [
    "a default mode too",
    { secret: { secretName: "a", defaultMode: 512 } },
    [`.secret.defaultMode: Invalid value: 512: ${MODE}`],
  ],
  [
    "an item has a key and a relative path without a way up",
    {
      configMap: {
        name: "a",
        items: [
          {},
          { key: "k", path: "/a" },
          { key: "k", path: "a/../b" },
          { key: "k", path: "..a" },
          { key: "k", path: "a/..b" },
        ],
      },
    },
    [
      ".configMap.items[0].key: Required value",
      ".configMap.items[0].path: Required value",
      '.configMap.items[1].path: Invalid value: "/a": must be a relative path',
      `.configMap.items[2].path: Invalid value: "a/../b": must not contain '..'`,
      `.configMap.items[3].path: Invalid value: "..a": must not start with '..'`,
    ],
  ],
  [
    "downward files name a field or a resource, not both",
    {
      downwardAPI: {
        defaultMode: 512,
        items: [
          { path: "a", ...FIELD },
          { path: "b", ...RESOURCE },
          { path: "c", ...FIELD, ...RESOURCE },
          { path: "d" },
        ],
      },
    },
    [
      `.downwardAPI.defaultMode: Invalid value: 512: ${MODE}`,
      '.downwardAPI.items[2]: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously',
      ".downwardAPI.items[3].fieldRef: Required value",
    ],
  ],
  [
    "downward files have a path and a mode like others",
    { downwardAPI: { items: [FIELD, { path: "/a", mode: -1, ...FIELD }] } },
    [
      ".downwardAPI.items[0].path: Required value",
      '.downwardAPI.items[1].path: Invalid value: "/a": must be a relative path',
      `.downwardAPI.items[1].mode: Invalid value: -1: ${MODE}`,
    ],
  ],
  [
    "each source of a projected volume is of one kind",
    { projected: { defaultMode: -1, sources: [{}, { configMap: { name: "a" }, secret: { name: "b" } }] } },
    [
      `.projected.defaultMode: Invalid value: -1: ${MODE}`,
      ".projected.sources[0]: Required value",
      ".projected.sources[1]: Forbidden: may not specify more than 1 volume type per source",
    ],
  ],
  [
    "each source of a projected volume keeps the rules of its kind",
    {
      projected: {
        sources: [
          { configMap: { items: [{ key: "k" }] } },
          { secret: {} },
          { downwardAPI: { items: [{ path: "a" }] } },
          { serviceAccountToken: {} },
        ],
      },
    },
    [
      ".projected.sources[0].configMap.name: Required value",
      ".projected.sources[0].configMap.items[0].path: Required value",
      ".projected.sources[1].secret.name: Required value",
      ".projected.sources[2].downwardAPI.items[0].fieldRef: Required value",
      ".projected.sources[3].serviceAccountToken.path: Required value",
    ],
  ],
  [
    "a token is valid for ten minutes or more",
    {
      projected: {
        sources: [
          { serviceAccountToken: { path: "a", expirationSeconds: 599 } },
          { serviceAccountToken: { path: "b", expirationSeconds: 600 } },
          { serviceAccountToken: { path: "c" } },
        ],
      },
    },
    [
      ".projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
    ],
  ],
  ["a claim has a name", { persistentVolumeClaim: {} }, [".persistentVolumeClaim.claimName: Required value"]],
  ["a claim's name is enough", { persistentVolumeClaim: { claimName: "a" } }, []],
  ["csi has a driver", { csi: {} }, [".csi.driver: Required value"]],
  ["a driver is enough", { csi: { driver: "a" } }, []],
  ["an ephemeral volume has a template", { ephemeral: {} }, [".ephemeral.volumeClaimTemplate: Required value"]],
  ["a template is enough", { ephemeral: { volumeClaimTemplate: { spec: {} } } }, []],
])("%s", (_rule, volume, expected) => {
  const faults = new FieldFaults();
  providedRule(volume as Volume, FieldPath.root, faults);
  expect(faults.list.map(({ message }) => `.${message}`)).toEqual(expected);
});
