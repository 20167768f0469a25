// One request to the cluster's etcd, by its gRPC gateway; run inside of the cluster's network namespace.
//   node etcd.mjs PKI /v3/kv/compaction '{"revision": "12"}'      prints the answer
import { readFileSync } from "node:fs";
import { request } from "node:https";
import path from "node:path";

const [pki, where, body] = process.argv.slice(2);
const file = (name) => readFileSync(path.join(pki, name));
const asked = request(
  `https://127.0.0.1:2379${where}`,
  {
    method: "POST",
    ca: file("etcd-ca.crt"),
    cert: file("apiserver-etcd-client.crt"),
    key: file("apiserver-etcd-client.key"),
  },
  (answer) => {
    process.exitCode = answer.statusCode === 200 ? 0 : 1;
    answer.pipe(process.exitCode === 0 ? process.stdout : process.stderr);
  },
);
asked.end(body);
