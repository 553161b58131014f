"use strict";
// glTF 2.0 as far as our own files need it, and a little more: meshes with skins, one texture for each material, and
// animations of translation, rotation and scale.

const glb = (() => {
  const READERS = {
    5120: [Int8Array, 127], 5121: [Uint8Array, 255], 5122: [Int16Array, 32767], 5123: [Uint16Array, 65535],
    5125: [Uint32Array, 1], 5126: [Float32Array, 1],
  };
  const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

  /** The document and its buffer from the bytes of a GLB file. */
  function parse(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (view.getUint32(0, true) !== 0x46546c67) throw new Error("this is not a GLB file");
    let json, buffer, at = 12;
    while (at + 8 <= bytes.byteLength) {
      const length = view.getUint32(at, true), kind = view.getUint32(at + 4, true);
      const content = bytes.subarray(at + 8, at + 8 + length);
      if (kind === 0x4e4f534a) json = JSON.parse(new TextDecoder().decode(content));
      if (kind === 0x004e4942) buffer = content;
      at += 8 + length;
    }
    // Extensions of materials and textures change how a surface looks; those below, whether it can be read at all.
    const unknown = (json.extensionsRequired || []).filter((name) => /draco|meshopt|gpu_instancing/i.test(name));
    if (unknown.length) throw new Error("this file needs " + unknown.join(", "));
    return { json, buffer };
  }

  /** The values of an accessor: `floats` makes normalised integers numbers from -1 to 1. */
  function read({ json, buffer }, index, floats = true) {
    const accessor = json.accessors[index], width = WIDTHS[accessor.type];
    const [Type, one] = READERS[accessor.componentType];
    const size = width * Type.BYTES_PER_ELEMENT;
    const result = new (floats ? Float32Array : Type)(accessor.count * width);
    if (accessor.bufferView === undefined) return { values: result, width };
    const view = json.bufferViews[accessor.bufferView];
    const stride = view.byteStride || size;
    const start = (view.byteOffset || 0) + (accessor.byteOffset || 0);
    // Copied, because a view of the file may not be aligned.
    const length = accessor.count ? stride * (accessor.count - 1) + size : 0;
    const copy = buffer.slice(start, start + length);
    const scale = floats && accessor.normalized ? 1 / one : 1;
    const whole = new Type(copy.buffer, 0, Math.floor(copy.byteLength / Type.BYTES_PER_ELEMENT));
    const step = stride / Type.BYTES_PER_ELEMENT;
    for (let i = 0; i < accessor.count; i++)
      for (let c = 0; c < width; c++) result[i * width + c] = whole[i * step + c] * scale;
    return { values: result, width };
  }

  /** The bytes and type of an image, if it is in the file. */
  function image({ json, buffer }, index) {
    const { bufferView, mimeType } = (json.images || [])[index] || {};
    if (bufferView === undefined) return null;
    const view = json.bufferViews[bufferView];
    const start = view.byteOffset || 0;
    return new Blob([buffer.slice(start, start + view.byteLength)], { type: mimeType });
  }

  /** Rest transforms and parents of the nodes. */
  function nodes({ json }) {
    const all = (json.nodes || []).map((node) => ({
      name: node.name, parent: -1, mesh: node.mesh, skin: node.skin,
      t: node.translation || [0, 0, 0], r: node.rotation || [0, 0, 0, 1], s: node.scale || [1, 1, 1], m: node.matrix,
    }));
    (json.nodes || []).forEach((node, index) => (node.children || []).forEach((child) => { all[child].parent = index; }));
    return all;
  }

  /** The tracks of the first animation, with the names of their nodes, and how long it takes. */
  function animation(file) {
    const first = (file.json.animations || [])[0];
    if (!first) return { seconds: 0, tracks: [] };
    let seconds = 0;
    const tracks = first.channels.map(({ sampler, target }) => {
      const { input, output } = first.samplers[sampler];
      const times = read(file, input).values, { values, width } = read(file, output);
      seconds = Math.max(seconds, times[times.length - 1]);
      return { node: file.json.nodes[target.node].name, path: target.path, times, values, width, at: 0 };
    });
    return { seconds, tracks };
  }

  /** The value of a track at a time, into `out`: straight between keys, rotations made unit again. */
  function sample(track, time, out) {
    const { times, values, width } = track;
    let low = 0, high = times.length - 1;
    while (low < high - 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle; else high = middle;
    }
    const span = times[high] - times[low];
    const t = span > 0 ? Math.min(Math.max((time - times[low]) / span, 0), 1) : 0;
    const a = low * width, b = high * width;
    let dot = 0;
    if (width === 4) for (let c = 0; c < 4; c++) dot += values[a + c] * values[b + c];
    const sign = dot < 0 ? -1 : 1;
    let length = 0;
    for (let c = 0; c < width; c++) {
      out[c] = values[a + c] * (1 - t) + sign * values[b + c] * t;
      length += out[c] * out[c];
    }
    if (width === 4) for (let c = 0; c < 4; c++) out[c] /= Math.sqrt(length) || 1;
  }

  return { parse, read, image, nodes, animation, sample };
})();
