"use strict";
// A skinned character in WebGL 2: one shader, joint matrices in a texture, a floor with a grid and a soft shadow, and a
// camera that the mouse, a finger or the arrow keys turn.

const viewer = (() => {
  const SURFACE_VERTEX = `#version 300 es
    precision highp float;
    layout(location = 0) in vec3 position;
    layout(location = 1) in vec3 normal;
    layout(location = 2) in vec2 texcoord;
    layout(location = 3) in vec4 color;
    layout(location = 4) in vec4 joints;
    layout(location = 5) in vec4 weights;
    uniform mat4 view, projection, node;
    uniform bool skinned;
    uniform sampler2D matrices;
    uniform float drop, ground;
    uniform vec3 light, middle;
    out vec3 vNormal, vEye;
    out vec2 vTexcoord;
    out vec4 vColor;
    mat4 joint(float index) {
      int row = int(index);
      return mat4(texelFetch(matrices, ivec2(0, row), 0), texelFetch(matrices, ivec2(1, row), 0),
                  texelFetch(matrices, ivec2(2, row), 0), texelFetch(matrices, ivec2(3, row), 0));
    }
    void main() {
      mat4 m = node;
      if (skinned) m = weights.x * joint(joints.x) + weights.y * joint(joints.y) + weights.z * joint(joints.z) + weights.w * joint(joints.w);
      vec4 world = m * vec4(position, 1.0);
      // A shadow is the character pressed along the light onto what it stands on, in a map of that that reaches as far as drop each way.
      if (drop > 0.0) {
        gl_Position = vec4((world.xz - light.xz / light.y * max(world.y - ground, 0.0) - middle.xz) / drop, 0.0, 1.0);
        return;
      }
      vec4 eye = view * world;
      vNormal = mat3(view) * mat3(m) * normal;
      vEye = eye.xyz;
      vTexcoord = texcoord;
      vColor = color;
      gl_Position = projection * eye;
    }`;
  const SURFACE_FRAGMENT = `#version 300 es
    precision highp float;
    in vec3 vNormal, vEye;
    in vec2 vTexcoord;
    in vec4 vColor;
    uniform vec4 factor;
    uniform sampler2D picture;
    uniform bool pictured;
    uniform float cutoff, drop;
    out vec4 result;
    vec3 linear(vec3 c) { return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c)); }
    vec3 srgb(vec3 c) { return mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }
    void main() {
      if (drop > 0.0) { result = vec4(1.0); return; }
      vec4 base = factor * vColor;
      if (pictured) { vec4 texel = texture(picture, vTexcoord); base *= vec4(linear(texel.rgb), texel.a); }
      if (base.a < cutoff) discard;
      vec3 n = normalize(vNormal), v = normalize(-vEye);
      if (dot(n, v) < 0.0) n -= 2.0 * dot(n, v) * v;
      float key = max(dot(n, normalize(vec3(-0.45, 0.75, 0.55))), 0.0);
      float fill = max(dot(n, normalize(vec3(0.8, 0.15, 0.45))), 0.0);
      float grazing = 1.0 - max(dot(n, v), 0.0);
      float rim = max(dot(n, normalize(vec3(0.35, 0.45, -0.8))) + 0.25, 0.0) * grazing * grazing;
      float sky = 0.5 + 0.5 * n.y;
      vec3 light = vec3(0.70, 0.67, 0.62) * key + vec3(0.13, 0.15, 0.18) * fill + vec3(0.42, 0.45, 0.50) * rim
        + mix(vec3(0.13, 0.12, 0.11), vec3(0.30, 0.32, 0.36), sky);
      result = vec4(srgb(min(base.rgb * light, 1.0)), 1.0);
    }`;
  const FLOOR_VERTEX = `#version 300 es
    precision highp float;
    uniform mat4 view, projection;
    uniform vec3 middle;
    uniform float reach, height;
    out vec2 place;
    void main() {
      vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
      place = middle.xz + corner * reach;
      gl_Position = projection * view * vec4(place.x, height, place.y, 1.0);
    }`;
  const FLOOR_FRAGMENT = `#version 300 es
    precision highp float;
    in vec2 place;
    uniform vec3 middle;
    uniform float reach, spacing, drop;
    uniform bool shaded;
    uniform sampler2D shadow;
    out vec4 result;
    // Many looks at the map around the place, in a spiral of golden angles, are a soft shadow.
    float dark() {
      float sum = 0.0;
      for (int i = 0; i < 24; i++) {
        float turn = 2.39996 * float(i), away = 0.016 * sqrt(float(i) / 24.0);
        sum += textureLod(shadow, 0.5 + 0.5 * (place - middle.xz) / drop + away * vec2(cos(turn), sin(turn)), 1.0).r;
      }
      return 0.34 * sum / 24.0;
    }
    void main() {
      if (shaded) { result = vec4(vec3(0.0), dark()); return; }
      vec2 at = place / spacing, width = fwidth(at);
      vec2 near = clamp(1.1 - abs(fract(at - 0.5) - 0.5) / width, 0.0, 1.0) * clamp(0.25 / width, 0.0, 1.0);
      float fade = clamp(1.0 - distance(place, middle.xz) / reach, 0.0, 1.0);
      result = vec4(vec3(0.44, 0.47, 0.51), max(near.x, near.y) * fade * 0.36);
    }`;
  const LINE_VERTEX = `#version 300 es
    precision highp float;
    layout(location = 0) in vec3 position;
    uniform mat4 view, projection;
    void main() { gl_Position = projection * view * vec4(position, 1.0); gl_PointSize = 6.0; }`;
  const LINE_FRAGMENT = `#version 300 es
    precision highp float;
    out vec4 result;
    void main() { result = vec4(0.98, 0.5, 0.08, 1.0); }`;

  // Column-major matrices, as WebGL has them.
  const identity = () => new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
  function multiply(a, b) {
    const out = new Float32Array(16);
    for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++)
      out[c * 4 + r] = a[r] * b[c * 4] + a[4 + r] * b[c * 4 + 1] + a[8 + r] * b[c * 4 + 2] + a[12 + r] * b[c * 4 + 3];
    return out;
  }
  function compose([tx, ty, tz], [x, y, z, w], [sx, sy, sz]) {
    return new Float32Array([
      (1 - 2 * (y * y + z * z)) * sx, 2 * (x * y + z * w) * sx, 2 * (x * z - y * w) * sx, 0,
      2 * (x * y - z * w) * sy, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z + x * w) * sy, 0,
      2 * (x * z + y * w) * sz, 2 * (y * z - x * w) * sz, (1 - 2 * (x * x + y * y)) * sz, 0, tx, ty, tz, 1]);
  }

  function program(gl, vertex, fragment) {
    const made = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    const at = {};
    for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(made, i);
      at[name] = gl.getUniformLocation(made, name);
    }
    return { made, at };
  }

  /** A viewer on a canvas. */
  function create(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: false });
    if (!gl) throw new Error("this browser has no WebGL 2");
    const surface = program(gl, SURFACE_VERTEX, SURFACE_FRAGMENT);
    const floor = program(gl, FLOOR_VERTEX, FLOOR_FRAGMENT);
    const line = program(gl, LINE_VERTEX, LINE_FRAGMENT);
    const shadow = shadowMap();
    const matrices = gl.createTexture(), lines = gl.createBuffer(), noVertices = gl.createVertexArray();
    const state = { yaw: 0.65, pitch: 0.22, distance: 1, time: 0, rate: 1, playing: true, bones: false, model: null, motion: null, hips: undefined, request: 0, before: 0 };
    const api = { state, load, animate, stop, start, onTime: null };

    /** Shows a character. */
    function load(bytes) {
      const file = glb.parse(bytes), nodes = glb.nodes(file);
      const textures = (file.json.textures || []).map((entry) => texture(file, entry.source));
      const draws = [];
      nodes.forEach((node, index) => {
        if (node.mesh === undefined) return;
        for (const primitive of file.json.meshes[node.mesh].primitives) draws.push(drawing(file, primitive, index, node.skin, textures));
      });
      const skins = (file.json.skins || []).map((skin) => ({
        joints: skin.joints,
        inverse: skin.inverseBindMatrices === undefined ? null : glb.read(file, skin.inverseBindMatrices).values,
      }));
      state.model = { nodes, draws, skins, names: new Map(nodes.map((node, index) => [node.name, index])) };
      state.motion = null;
      const [low, high] = heights(pose());
      state.model.height = high - low || 1;
      state.model.middle = (high + low) / 2;
      state.distance = state.model.height * 2.6;
      return api;
    }

    /** From where to where the character reaches above the floor: files may hold it in any unit, for their joints to scale. */
    function heights(worlds) {
      let low = Infinity, high = -Infinity;
      for (const { points, joints, weights, node, skin } of state.model.draws) {
        const matrices = skin === undefined ? null : skinMatrices(state.model.skins[skin], worlds);
        for (let i = 0; i < points.length; i += 3) {
          const row = (m, at) => m[at + 1] * points[i] + m[at + 5] * points[i + 1] + m[at + 9] * points[i + 2] + m[at + 13];
          let y = 0;
          if (!matrices || !joints || !weights) y = row(matrices ? matrices : worlds[node], 0);
          else for (let k = 0, at = i / 3 * 4; k < 4; k++) if (weights[at + k]) y += weights[at + k] * row(matrices, 16 * joints[at + k]);
          if (y < low) low = y;
          if (y > high) high = y;
        }
      }
      return low < high ? [low, high] : [0, 1];
    }

    /** A small picture of the floor into which the character is pressed. */
    function shadowMap() {
      const size = 512, map = gl.createTexture(), target = gl.createFramebuffer();
      gl.bindTexture(gl.TEXTURE_2D, map);
      gl.texStorage2D(gl.TEXTURE_2D, 4, gl.RGBA8, size, size);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST);
      for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
      gl.bindFramebuffer(gl.FRAMEBUFFER, target);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, map, 0);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      return { size, map, target };
    }

    function texture(file, source) {
      const made = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, made);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array([200, 200, 200, 255]));
      const image = glb.image(file, source);
      if (image) createImageBitmap(image, { premultiplyAlpha: "none", colorSpaceConversion: "none" }).then((bitmap) => {
        gl.bindTexture(gl.TEXTURE_2D, made);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
        gl.generateMipmap(gl.TEXTURE_2D);
        draw();
      }).catch(() => {});
      return made;
    }

    /** Normals for a file that has none: the mean of the triangles around a vertex, by their areas. */
    function normals(points, indices) {
      const sums = new Float32Array(points.length);
      const count = indices ? indices.length : points.length / 3;
      for (let i = 0; i + 2 < count; i += 3) {
        const [a, b, c] = [i, i + 1, i + 2].map((k) => 3 * (indices ? indices[k] : k));
        const edge = (p, axis) => points[p + axis] - points[a + axis];
        for (let axis = 0; axis < 3; axis++) {
          const [y, z] = [(axis + 1) % 3, (axis + 2) % 3];
          const normal = edge(b, y) * edge(c, z) - edge(b, z) * edge(c, y);
          for (const corner of [a, b, c]) sums[corner + axis] += normal;
        }
      }
      for (let i = 0; i < sums.length; i += 3) {
        const length = Math.hypot(sums[i], sums[i + 1], sums[i + 2]) || 1;
        for (let axis = 0; axis < 3; axis++) sums[i + axis] /= length;
      }
      return sums;
    }

    function drawing(file, primitive, node, skin, textures) {
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      const names = ["POSITION", "NORMAL", "TEXCOORD_0", "COLOR_0", "JOINTS_0", "WEIGHTS_0"];
      const resting = [[0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 0, 0]];
      const kept = {};
      let count = 0;
      names.forEach((name, location) => {
        const accessor = primitive.attributes[name];
        if (accessor === undefined) { gl.vertexAttrib4fv(location, resting[location]); return; }
        const { values, width } = glb.read(file, accessor);
        kept[name] = values;
        if (location === 0) count = values.length / 3;
        gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
        gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
        gl.enableVertexAttribArray(location);
        gl.vertexAttribPointer(location, width, gl.FLOAT, false, 0, 0);
      });
      let indices = null;
      if (primitive.indices !== undefined) {
        indices = Uint32Array.from(glb.read(file, primitive.indices, false).values);
        count = indices.length;
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
      }
      if (!kept.NORMAL && kept.POSITION) {
        gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
        gl.bufferData(gl.ARRAY_BUFFER, normals(kept.POSITION, indices), gl.STATIC_DRAW);
        gl.enableVertexAttribArray(1);
        gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 0, 0);
      }
      gl.bindVertexArray(null);
      const material = (file.json.materials || [])[primitive.material] || {}, pbr = material.pbrMetallicRoughness || {};
      return {
        array, count, indexed: !!indices, mode: primitive.mode === undefined ? 4 : primitive.mode, node, skin,
        points: kept.POSITION || [], joints: kept.JOINTS_0, weights: kept.WEIGHTS_0,
        factor: pbr.baseColorFactor || [1, 1, 1, 1],
        texture: pbr.baseColorTexture ? textures[pbr.baseColorTexture.index] : null,
        cutoff: material.alphaMode === "MASK" ? (material.alphaCutoff === undefined ? 0.5 : material.alphaCutoff) : material.alphaMode === "BLEND" ? 0.4 : 0,
        twoSided: !!material.doubleSided,
      };
    }

    /** Lets the character move as in a file; joints are found by their names, also the one that the camera follows. `ground` are
     *  the heights on which it stands, evenly over the time. */
    function animate(bytes, hips, ground) {
      state.motion = glb.animation(glb.parse(bytes));
      state.hips = state.model.names.get(hips);
      state.ground = ground || [];
      state.time = 0;
      return api;
    }

    function pose() {
      const { nodes, names } = state.model;
      const locals = nodes.map(({ t, r, s, m }) => ({ t: t.slice(), r: r.slice(), s: s.slice(), m }));
      if (state.motion) for (const track of state.motion.tracks) {
        const node = names.get(track.node);
        const part = { translation: "t", rotation: "r", scale: "s" }[track.path];
        if (node !== undefined && part) glb.sample(track, state.time, locals[node][part]);
      }
      const worlds = new Array(nodes.length);
      const world = (index) => {
        if (!worlds[index]) {
          const { t, r, s, m } = locals[index];
          const local = m ? new Float32Array(m) : compose(t, r, s);
          worlds[index] = nodes[index].parent < 0 ? local : multiply(world(nodes[index].parent), local);
        }
        return worlds[index];
      };
      nodes.forEach((_, index) => world(index));
      return worlds;
    }

    /** The height on which the character stands now. */
    function groundHeight() {
      const { ground, motion, time } = state;
      if (!ground || !ground.length || !motion || !motion.seconds) return 0;
      const at = Math.min(time / motion.seconds, 1) * (ground.length - 1), before = Math.floor(at);
      return ground[before] + (at - before) * ((ground[before + 1] ?? ground[before]) - ground[before]);
    }

    function draw() {
      if (!state.model) return;
      const scale = Math.min(window.devicePixelRatio || 1, 2);
      const width = Math.round(canvas.clientWidth * scale), height = Math.round(canvas.clientHeight * scale);
      if (!width || !height) return;
      if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
      const worlds = pose(), { skins, draws } = state.model;
      const skin = skins[0];
      const followed = state.hips === undefined && skin ? skin.joints[0] : state.hips;
      const hips = followed === undefined ? identity() : worlds[followed];
      // The camera climbs along, but does not jump along.
      const target = [hips[12], state.model.middle + groundHeight(), hips[14]];

      const near = state.model.height * 0.02, far = state.model.height * 60, f = 1 / Math.tan(0.3);
      const projection = new Float32Array([f * height / width, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
      const [cy, sy, cp, sp] = [Math.cos(state.yaw), Math.sin(state.yaw), Math.cos(state.pitch), Math.sin(state.pitch)];
      const z = [sy * cp, sp, cy * cp], x = [cy, 0, -sy], y = [-sy * sp, cp, -cy * sp];
      const eye = target.map((value, axis) => value + z[axis] * state.distance);
      const dot = (a) => -(a[0] * eye[0] + a[1] * eye[1] + a[2] * eye[2]);
      const view = new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, dot(x), dot(y), dot(z), 1]);
      const key = [-0.45, 0.75, 0.55];
      const light = [0, 1, 2].map((axis) => x[axis] * key[0] + y[axis] * key[1] + z[axis] * key[2]);
      light[1] = Math.max(light[1], 0.8);

      if (skin) upload(skin, worlds);
      gl.depthMask(true);
      gl.disable(gl.BLEND);
      gl.disable(gl.DEPTH_TEST);
      gl.useProgram(surface.made);
      gl.uniformMatrix4fv(surface.at.view, false, view);
      gl.uniformMatrix4fv(surface.at.projection, false, projection);
      gl.uniform3fv(surface.at.light, light);
      gl.uniform3fv(surface.at.middle, target);
      gl.uniform1i(surface.at.matrices, 1);
      gl.uniform1i(surface.at.picture, 0);
      const drop = state.model.height * 1.6;
      gl.uniform1f(surface.at.drop, drop);
      gl.uniform1f(surface.at.ground, groundHeight());
      gl.bindFramebuffer(gl.FRAMEBUFFER, shadow.target);
      gl.viewport(0, 0, shadow.size, shadow.size);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      draws.forEach((drawing) => drawOne(drawing, worlds));
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.bindTexture(gl.TEXTURE_2D, shadow.map);
      gl.generateMipmap(gl.TEXTURE_2D);

      gl.viewport(0, 0, width, height);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.useProgram(floor.made);
      gl.bindVertexArray(noVertices);
      gl.uniformMatrix4fv(floor.at.view, false, view);
      gl.uniformMatrix4fv(floor.at.projection, false, projection);
      gl.uniform3fv(floor.at.middle, target);
      gl.uniform1f(floor.at.reach, state.model.height * 3);
      gl.uniform1f(floor.at.spacing, state.model.height / 3.5);
      gl.uniform1f(floor.at.drop, drop);
      gl.uniform1i(floor.at.shadow, 0);
      gl.enable(gl.BLEND);
      gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      for (const [shaded, height] of [[0, 0], [1, groundHeight()]]) {
        gl.uniform1i(floor.at.shaded, shaded);
        gl.uniform1f(floor.at.height, height);
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
      }
      gl.disable(gl.BLEND);

      gl.enable(gl.DEPTH_TEST);
      gl.useProgram(surface.made);
      gl.uniform1f(surface.at.drop, 0);
      draws.forEach((drawing) => drawOne(drawing, worlds));

      if (state.bones && skin) drawBones(skin, worlds, view, projection);
      gl.bindVertexArray(null);
    }

    /** The matrices of all joints of a skin, one after the other. */
    function skinMatrices(skin, worlds) {
      const data = new Float32Array(16 * skin.joints.length);
      skin.joints.forEach((node, index) => {
        const inverse = skin.inverse ? skin.inverse.subarray(index * 16, index * 16 + 16) : identity();
        data.set(multiply(worlds[node], inverse), index * 16);
      });
      return data;
    }

    function upload(skin, worlds) {
      const data = skinMatrices(skin, worlds);
      gl.activeTexture(gl.TEXTURE1);
      gl.bindTexture(gl.TEXTURE_2D, matrices);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 4, skin.joints.length, 0, gl.RGBA, gl.FLOAT, data);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
      gl.activeTexture(gl.TEXTURE0);
    }

    function drawOne(drawing, worlds) {
      gl.uniform1i(surface.at.skinned, drawing.skin === undefined ? 0 : 1);
      gl.uniformMatrix4fv(surface.at.node, false, worlds[drawing.node]);
      gl.uniform4fv(surface.at.factor, drawing.factor);
      gl.uniform1i(surface.at.pictured, drawing.texture ? 1 : 0);
      gl.uniform1f(surface.at.cutoff, drawing.cutoff);
      gl.bindTexture(gl.TEXTURE_2D, drawing.texture);
      gl.bindVertexArray(drawing.array);
      if (drawing.indexed) gl.drawElements(drawing.mode, drawing.count, gl.UNSIGNED_INT, 0);
      else gl.drawArrays(drawing.mode, 0, drawing.count);
    }

    function drawBones(skin, worlds, view, projection) {
      const { nodes } = state.model, points = [], ends = [];
      const place = (node) => [worlds[node][12], worlds[node][13], worlds[node][14]];
      const first = nodes[skin.joints[0]].parent < 0 || !skin.joints.includes(nodes[skin.joints[0]].parent) ? skin.joints[0] : -1;
      for (const joint of skin.joints) {
        if (joint === first && skin.joints.length > 1) continue;
        points.push(...place(joint));
        const parent = nodes[joint].parent;
        if (parent !== first && skin.joints.includes(parent)) ends.push(...place(parent), ...place(joint));
      }
      gl.useProgram(line.made);
      gl.disable(gl.DEPTH_TEST);
      gl.uniformMatrix4fv(line.at.view, false, view);
      gl.uniformMatrix4fv(line.at.projection, false, projection);
      gl.bindVertexArray(noVertices);
      gl.bindBuffer(gl.ARRAY_BUFFER, lines);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(ends), gl.DYNAMIC_DRAW);
      gl.drawArrays(gl.LINES, 0, ends.length / 3);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.DYNAMIC_DRAW);
      gl.drawArrays(gl.POINTS, 0, points.length / 3);
      gl.disableVertexAttribArray(0);
    }

    function tick(now) {
      const step = Math.min((now - state.before) / 1000, 0.1);
      state.before = now;
      if (state.playing && state.motion && state.motion.seconds > 0)
        state.time = (state.time + step * state.rate) % state.motion.seconds;
      draw();
      if (api.onTime) api.onTime(state.time);
      state.request = requestAnimationFrame(tick);
    }
    function start() {
      if (state.request) return;
      state.before = performance.now();
      state.request = requestAnimationFrame(tick);
    }
    function stop() {
      cancelAnimationFrame(state.request);
      state.request = 0;
    }

    // One pointer turns, two pinch.
    const pointers = new Map();
    const apart = () => { const [a, b] = [...pointers.values()]; return Math.hypot(a.x - b.x, a.y - b.y); };
    const closer = (factor) => {
      const height = state.model ? state.model.height : 1;
      state.distance = Math.min(Math.max(state.distance * factor, height * 0.6), height * 12);
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    });
    canvas.addEventListener("pointermove", (event) => {
      const last = pointers.get(event.pointerId);
      if (!last) return;
      const before = pointers.size === 2 ? apart() : 0;
      const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (pointers.size === 2) closer(before / (apart() || 1));
      else {
        state.yaw -= dx * 0.008;
        state.pitch = Math.min(Math.max(state.pitch + dy * 0.008, -0.1), 1.5);
      }
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); closer(Math.exp(event.deltaY * 0.0012)); }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const turns = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
      if (!turns) return;
      state.yaw += turns[0];
      state.pitch = Math.min(Math.max(state.pitch + turns[1], -0.1), 1.5);
      event.preventDefault();
      event.stopPropagation();
    });
    return api;
  }

  return { create };
})();
