import { expect, test } from "@jest/globals";
import { podVolumeOf } from "../../src/own-volumes.js";

test.each<[string, string | undefined]>([
  ["/var/lib/h/pods/u1/volumes/kubernetes.io~csi/v/mount", "u1"],
  ["/var/lib/h/pods/u1/volumes", "u1"],
  ["/var/lib/h/leaving-pods/u1/volumes/x", "u1"],
  ["/var/lib/h/pods/u1/volume-subpaths/v/main/0", "u1"],
  ["/var/lib/h/pods/u1/etc-hosts", undefined],
  ["/var/lib/h/pods/u1/volumes-of-mine/x", undefined],
  ["/var/lib/h/mypods/u1/volumes/x", undefined],
  ["/var/lib/h/pods/volumes/x", undefined],
])("%s lies in the volumes of %j", (file, uid) => {
  expect(podVolumeOf(file)).toBe(uid);
});
