#!/usr/bin/env bash
# Judges written files with programs of others: the Khronos validator, and three.js, which must skin as the file says.
#
# usage: tests/clients.sh FILE.glb|FILE.gltf...
#
# Needs Node and, in the folder $CLIENTS (default: the current one), `npm install gltf-validator three`. Without them it says so
# and passes, so that it can stand in any pipeline.
set -euo pipefail
clients="$(cd "${CLIENTS:-.}" && pwd)"
if ! command -v node >/dev/null || [ ! -d "$clients/node_modules/gltf-validator" ] || [ ! -d "$clients/node_modules/three" ]; then
  echo "skipped: tests/clients.sh: node, gltf-validator or three is not there" | tee -a "${PUPPETRY_SKIPPED:-/dev/null}" >&2
  exit 0
fi
exec node --input-type=module - "$clients" "$@" <<'SCRIPT'
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [clients, ...files] = process.argv.slice(2);
const require = createRequire(path.join(clients, 'x.js'));
const validator = require('gltf-validator');
// three.js expects a browser; of that, loading a model without its pictures needs this much.
globalThis.self = globalThis;
globalThis.ProgressEvent ??= class extends Event {};
globalThis.createImageBitmap ??= async () => ({ width: 1, height: 1, close() {} });
const module = (name) => import(pathToFileURL(path.join(clients, 'node_modules/three', name)).href);
const THREE = await module('build/three.module.js');
const { GLTFLoader } = await module('examples/jsm/loaders/GLTFLoader.js');

let failed = false;
for (const file of files) {
  const bytes = await readFile(file);
  const beside = (uri) => readFile(path.join(path.dirname(file), decodeURIComponent(uri)));
  const report = await validator.validateBytes(new Uint8Array(bytes), {
    uri: path.basename(file), externalResourceFunction: async (uri) => new Uint8Array(await beside(uri)),
  });
  const { numErrors, numWarnings, messages } = report.issues;
  for (const message of messages.filter((m) => m.severity < 2).slice(0, 10)) console.log(`  ${message.code} ${message.pointer}: ${message.message}`);

  const isBinary = bytes.subarray(0, 4).toString() === 'glTF';
  const json = JSON.parse(isBinary ? bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString() : bytes.toString());
  // three.js has nobody to fetch files for it here.
  for (const item of isBinary ? [] : [...(json.buffers ?? []), ...(json.images ?? [])]) {
    if (item.uri && !item.uri.startsWith('data:')) item.uri = `data:application/octet-stream;base64,${(await beside(item.uri)).toString('base64')}`;
  }
  const content = isBinary ? bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) : JSON.stringify(json);
  const gltf = await new GLTFLoader().parseAsync(content, '');
  const problems = [];
  const names = (json.animations ?? []).map((animation) => animation.name);
  if (gltf.animations.map((clip) => clip.name).join() !== names.join()) problems.push('clips differ');
  // At rest and in the middle of each clip, every skinned vertex is a finite place.
  const mixer = new THREE.AnimationMixer(gltf.scene);
  for (const clip of [null, ...gltf.animations]) {
    mixer.stopAllAction();
    if (clip) { mixer.clipAction(clip).play(); mixer.setTime(clip.duration / 2); }
    gltf.scene.updateMatrixWorld(true);
    gltf.scene.traverse((object) => {
      if (!object.isSkinnedMesh) return;
      object.skeleton.update();
      const place = new THREE.Vector3();
      for (let vertex = 0; vertex < object.geometry.attributes.position.count; vertex += 7) {
        place.fromBufferAttribute(object.geometry.attributes.position, vertex);
        const before = place.clone();
        object.applyBoneTransform(vertex, place);
        if (![place.x, place.y, place.z].every(Number.isFinite)) problems.push(`${object.name} is not finite`);
        if (!clip && !process.env.LOOSE_BIND && place.distanceTo(before) > 1e-4 * (1 + before.length())) problems.push(`${object.name} moves at rest`);
        if (problems.length > 3) return;
      }
    });
  }
  const bad = numErrors || numWarnings || problems.length;
  failed ||= Boolean(bad);
  console.log(`CHECK ${bad ? 'FAIL' : 'ok'} ${file}: ${numErrors} errors, ${numWarnings} warnings, ${gltf.animations.length} clips ${[...new Set(problems)].join('; ')}`);
}
process.exit(failed ? 1 : 0);
SCRIPT
