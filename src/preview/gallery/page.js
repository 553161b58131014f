"use strict";
// The page: a list of clips, what of it is shown, and a view of one. Data arrives through `gallery.list` and
// `gallery.model`, called by script files, because a page on disk may not fetch.

const gallery = (() => {
  const $ = (id) => document.getElementById(id);
  const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const number = (value, digits = 1) => value.toFixed(digits);
  const FILTERS = {
    loops: ["loops", (clip) => clip.loops],
    once: ["once", (clip) => !clip.loops],
    travels: ["travels", (clip) => clip.travels],
    place: ["in place", (clip) => !clip.travels],
    air: ["leaves the ground", (clip) => clip.airborne > 0.05],
    short: ["under 2 s", (clip) => clip.seconds < 2],
    long: ["over 10 s", (clip) => clip.seconds > 10],
  };
  // A clip cannot be both; choosing one lets go of the other.
  const OPPOSITES = { loops: "once", once: "loops", travels: "place", place: "travels", short: "long", long: "short" };

  const SORTS = ["name", "seconds", "speed", "slide"];

  let clips = [], shown = [], current = null, bake = {};
  const chosen = new Set();
  /** The clips that were picked for one command. */
  const picked = new Set();
  const cards = new Map(), playing = new Set();
  const models = new Map(), waiting = new Map();
  let onScreen = null, playAll = false, view3d = null, wants3d = true, hovered = null;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  // ---- the list ----

  const isPose = (clip) => clip.tags.includes("pose");
  const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

  /** Shows the list of clips, and what failed. `left` are still to come; below zero there is no list at all. `how` they are baked. */
  function list(all, failures, left, how) {
    clips = all;
    bake = how;
    $("left").hidden = !left;
    $("left").textContent = left < 0 ? "data/clips.js is missing: make this page again."
      : `This page is being made. ${left} more to come: reload it to see them.`;
    clips.forEach((clip) => { clip.text = [clip.name, clip.folder, clip.description, clip.convention, ...clip.tags].join(" ").toLowerCase(); });
    buildFilters();
    buildCards();
    if (failures.length) {
      $("failures").hidden = false;
      $("failures").querySelector("summary").textContent =
        failures.length === 1 ? "One file could not be shown" : failures.length + " files could not be shown";
      $("failures").querySelector("ul").innerHTML =
        failures.map(({ file, reason }) => `<li><b>${escape(file)}</b> ${escape(reason)}</li>`).join("");
    }
    route();
  }

  function buildFilters() {
    const count = (test) => clips.filter(test).length;
    const button = (key, name, amount) =>
      `<button data-key="${escape(key)}" aria-pressed="false">${escape(name)} <small>${amount}</small></button>`;
    const tags = [...new Set(clips.flatMap((clip) => clip.tags))]
      .map((tag) => [tag, count((clip) => clip.tags.includes(tag))]).sort((a, b) => b[1] - a[1]);
    const kinds = Object.entries(FILTERS).map(([key, [name, test]]) => [key, name, count(test)])
      .filter(([, , amount]) => amount > 0 && amount < clips.length);
    const conventions = [...new Set(clips.map((clip) => clip.convention).filter(Boolean))]
      .map((name) => [name, count((clip) => clip.convention === name)]).sort((a, b) => b[1] - a[1]);
    // A folder counts what is below it too.
    const within = (folder) => (clip) => clip.folder === folder || clip.folder.startsWith(folder + "/");
    const folders = [...new Set(clips.map((clip) => clip.folder).filter(Boolean))].sort()
      .map((folder) => [folder, count(within(folder))]);
    const choice = (id, label, all, options) => (options.length < 2 ? ""
      : `<select id="${id}" aria-label="${label}"><option value="">${all}</option>${
        options.map(([name, amount]) => `<option value="${escape(name)}">${escape(name)} (${amount})</option>`).join("")}</select>`);
    const groups = [
      tags.map(([tag, amount]) => button("tag:" + tag, tag, amount)).join(""),
      kinds.map(([key, name, amount]) => button(key, name, amount)).join(""),
      choice("folders", "Folder", "any folder", folders) + choice("names", "Joint names", "any joint names", conventions),
    ];
    $("filters").innerHTML = groups.filter(Boolean).map((group) => `<div>${group}</div>`).join("");
  }

  function fits(clip) {
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.every((word) => clip.text.includes(word))) return false;
    const tags = [...chosen].filter((key) => key.startsWith("tag:")).map((key) => key.slice(4));
    const chose = (id) => ($(id) ? $(id).value : "");
    const names = chose("names"), folder = chose("folders");
    if (folder && clip.folder !== folder && !clip.folder.startsWith(folder + "/")) return false;
    if (tags.length && !tags.some((tag) => clip.tags.includes(tag))) return false;
    if (names && clip.convention !== names) return false;
    return [...chosen].every((key) => !FILTERS[key] || FILTERS[key][1](clip));
  }

  function marked(name) {
    const words = $("search").value.split(/\s+/).filter(Boolean).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    if (!words.length) return escape(name);
    return name.split(new RegExp(`(${words.join("|")})`, "i")).map((part, i) => (i % 2 ? `<mark>${escape(part)}</mark>` : escape(part))).join("");
  }

  /** A number and its unit, which stay on one line. */
  const measured = (value, digits, unit) => `${number(value, digits)}\u00a0${unit}`;
  /** A speed in leg lengths a second, which compares characters of any size. */
  const inLegs = (speed, clip, digits) => (clip.leg ? measured(speed / clip.leg, digits, "legs/s") : "");
  const speedText = (speed, clip, digits) => [measured(speed, digits, "m/s"), inLegs(speed, clip, digits)].filter(Boolean).join(", ");

  const goes = (clip) => !isPose(clip) && (clip.travels || clip.tags.includes("walk") || clip.tags.includes("run"));

  function buildCards() {
    const made = document.createDocumentFragment();
    for (const clip of clips) {
      const card = document.createElement("div");
      card.className = "clip";
      card.dataset.id = clip.id;
      const about = clip.description || clip.tags.join(", ") + (goes(clip) ? ` · ${speedText(clip.speed, clip, 1)}` : "");
      card.innerHTML = `<button class="open"><div class="screen"><img loading="lazy" decoding="async" alt="" src="media/${clip.id}.png">
        <span class="badge">${isPose(clip) ? "pose" : (clip.loops ? "↻ " : "") + number(clip.seconds) + " s"}</span></div>
        <div class="about"><b></b><span>${escape(about)}</span></div></button>
        <label class="pick" title="Choose (x)"><input type="checkbox" aria-label="Choose ${escape(clip.name)}"></label>`;
      card.querySelector("b").title = [(clip.folder ? clip.folder + "/" : "") + clip.name, clip.description].filter(Boolean).join(": ");
      cards.set(clip.id, card);
      made.append(card);
    }
    $("grid").replaceChildren(made);
    onScreen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        target.onScreen = isIntersecting;
        setPlaying(target, isIntersecting && playAll);
      }
    }, { rootMargin: "60px" });
    cards.forEach((card) => onScreen.observe(card));
  }

  let shownFor = null;
  function update() {
    shownFor = filtersAsked().toString();
    const by = $("sort").value;
    shown = clips.filter(fits);
    shown.sort((a, b) => (by === "name" ? 0 : b[by] - a[by]) || (a.folder + "/" + a.name).localeCompare(b.folder + "/" + b.name, undefined, { numeric: true }));
    const visible = new Set(shown);
    const grid = $("grid");
    const order = document.createDocumentFragment();
    for (const clip of shown) {
      const card = cards.get(clip.id);
      card.hidden = false;
      card.querySelector("b").innerHTML = marked(clip.name);
      order.append(card);
    }
    clips.forEach((clip) => {
      if (visible.has(clip)) return;
      const card = cards.get(clip.id);
      card.hidden = true;
      order.append(card);
    });
    grid.append(order);
    const poses = clips.filter(isPose).length, motions = clips.length - poses;
    const all = [motions && counted(motions, "motion"), poses && counted(poses, "pose")].filter(Boolean).join(", ");
    $("count").textContent = shown.length === clips.length ? all : `${shown.length} of ${all}`;
    $("nothing").hidden = shown.length > 0;
    for (const button of $("filters").querySelectorAll("button")) button.setAttribute("aria-pressed", chosen.has(button.dataset.key));
    showPicked();
  }

  // ---- several clips, one command ----

  function pick(ids, on) {
    for (const id of ids) if (on) picked.add(id); else picked.delete(id);
    showPicked();
    writeAddress();
  }

  function showPicked() {
    for (const [id, card] of cards) {
      card.classList.toggle("is-picked", picked.has(id));
      card.querySelector(".pick input").checked = picked.has(id);
    }
    document.body.classList.toggle("picks", picked.size > 0);
    $("picked").hidden = !picked.size;
    if (!picked.size) return;
    const all = clips.filter((clip) => picked.has(clip.id));
    // An animal's motion is for an animal: one command has one character.
    const together = all.filter((clip) => clip.character === all[0].character), others = all.length - together.length;
    $("picked-count").textContent = counted(all.length, "clip") + " chosen";
    $("picked-note").textContent = others ? `${others} of them for another body, not in this command` : "";
    $("picked-command").textContent = command(together);
    $("picked-copy").textContent = "Copy command";
    $("pick-shown").textContent = `All ${shown.length} shown`;
    $("pick-shown").hidden = shown.every((clip) => picked.has(clip.id));
  }

  /** The command that bakes clips; the clips of one file come together. */
  function command(some) {
    const motions = [...new Set(some.map((clip) => clip.motion))];
    const output = motions.length > 1 ? bake.output : some[0].output;
    return `${bake.command}${motions.map((motion) => " --motion " + motion).join("")} -o ${output}${bake.flags}`;
  }

  function copy(button, text) {
    const label = button.dataset.label || (button.dataset.label = button.textContent);
    const done = () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = label; }, 1600); };
    const select = () => getSelection().selectAllChildren(text);
    if (navigator.clipboard) navigator.clipboard.writeText(text.textContent).then(done, select); else select();
  }

  function setPlaying(card, play) {
    if (play === playing.has(card)) return;
    if (play) {
      const clip = clips.find(({ id }) => id === card.dataset.id);
      const film = new Image();
      film.alt = "";
      film.className = "film";
      film.src = `media/${clip.id}-film.${clip.film}`;
      playing.add(card);
      // Shown when it can be, so that the picture never goes blank in between.
      film.decode().then(() => { if (playing.has(card)) card.querySelector("img").after(film); }).catch(() => {});
    } else {
      playing.delete(card);
      card.querySelectorAll(".film").forEach((film) => film.remove());
    }
  }

  function setPlayAll(on) {
    playAll = on;
    $("play-all").setAttribute("aria-pressed", on);
    cards.forEach((card) => setPlaying(card, on && !!card.onScreen));
  }

  // ---- one clip ----

  function open(clip) {
    current = clip;
    $("detail-name").innerHTML = (clip.folder ? `<small>${escape(clip.folder)}/</small>` : "") + escape(clip.name);
    $("film").alt = clip.name;
    $("sheet").src = `media/${clip.id}-sheet.png`;
    $("description").hidden = !clip.description;
    $("description").textContent = clip.description;
    for (const figure of document.querySelectorAll(".moving")) figure.hidden = isPose(clip);
    $("detail-tags").innerHTML = clip.tags.map((tag) => `<span>${escape(tag)}</span>`).join("")
      + [...(isPose(clip) ? [] : [clip.loops ? "loops" : "once", clip.travels ? "travels" : "in place"]), clip.convention].filter(Boolean)
        .map((word) => `<span class="plain">${escape(word)}</span>`).join("");
    const numbers = [
      ["Duration", number(clip.seconds, 2) + " s"], ["Rate", number(clip.fps, clip.fps % 1 ? 2 : 0) + " fps"], ["Goes", number(clip.travel, 2) + " m"],
      ["Mean speed", speedText(clip.speed, clip, 2)], ["Top speed", speedText(clip.top_speed, clip, 2)], ["Turns", clip.turn + "°"],
      ["Slide a step", clip.stances ? number(clip.slide) + " mm" : "–"], ["Worst slide", clip.stances ? number(clip.worst_slide) + " mm" : "–"], ["In the air", Math.round(clip.airborne * 100) + " %"],
    ];
    $("numbers").innerHTML = (isPose(clip) ? [] : numbers).map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join("");
    $("command").textContent = command([clip]);
    $("notes").hidden = !clip.notes.length;
    $("notes").querySelector("ul").innerHTML = clip.notes.map((note) => `<li>${escape(note)}</li>`).join("");
    drawSpeeds(clip);
    drawContacts(clip);
    drawPath(clip);
    if (!$("detail").open) $("detail").showModal();
    $("detail").scrollTop = 0;
    show(wants3d);
  }

  function show(in3d) {
    wants3d = in3d;
    $("tab-film").setAttribute("aria-selected", !in3d);
    $("tab-model").setAttribute("aria-selected", in3d);
    showScreen(in3d);
    setNeedles(null);
    if (view3d) view3d.stop();
    if (!current) return;
    const clip = current;
    if (!in3d) { $("film").src = `media/${clip.id}-film.${clip.film}`; return; }
    Promise.all([request("character" + clip.character), request(clip.id)]).then(([character, motion]) => {
      if (clip !== current || !wants3d) return;
      if (!view3d) { view3d = viewer.create($("model")); view3d.onTime = showTime; }
      if (view3d.character !== clip.character) { view3d.load(character); view3d.character = clip.character; }
      view3d.animate(motion, clip.hips, clip.ground);
      setStopped(calm.matches);
      view3d.start();
    }).catch((error) => {
      if (clip !== current || !wants3d) return;
      show(false);
      $("message").textContent = "No 3D view: " + error.message;
      $("message").hidden = false;
    });
  }

  /** What of the stage is seen: the model, or the picture. */
  function showScreen(of3d) {
    $("film").hidden = of3d;
    $("model").hidden = !of3d;
    $("transport").hidden = !of3d || !current || isPose(current);
    $("message").hidden = true;
  }

  function setStopped(stopped) {
    view3d.state.playing = !stopped;
    $("transport").classList.toggle("is-stopped", stopped);
  }

  function showTime(time) {
    const seconds = view3d.state.motion ? view3d.state.motion.seconds : 0;
    $("time").value = seconds ? time / seconds : 0;
    $("clock").textContent = `${number(time, 2)} / ${number(seconds, 2)} s`;
    setNeedles(seconds ? time / seconds : null);
  }

  // Each chart has a needle that follows the 3D view.
  function setNeedles(share) {
    for (const needle of document.querySelectorAll(".needle")) {
      needle.style.display = share === null ? "none" : "";
      if (share !== null) needle.setAttribute("transform", `translate(${share * 100} 0)`);
    }
    const here = document.querySelector(".here");
    if (!here || !current) return;
    here.style.display = share === null ? "none" : "";
    const place = current.path[Math.min(Math.floor((share || 0) * current.path.length), current.path.length - 1)];
    if (place) { here.setAttribute("cx", place[0]); here.setAttribute("cy", place[1]); }
  }

  function drawSpeeds(clip) {
    const most = Math.max(...clip.speeds, 0.1) * 1.1;
    const points = clip.speeds.map((speed, i) => `${(100 * i / Math.max(clip.speeds.length - 1, 1)).toFixed(2)},${(40 - 38 * speed / most).toFixed(2)}`);
    $("speeds").setAttribute("viewBox", "0 0 100 40");
    $("speeds").setAttribute("preserveAspectRatio", "none");
    $("speeds").innerHTML = `<path class="area" d="M0,40L${points.join("L")}L100,40Z"/><path class="curve" d="M${points.join("L")}"/><path class="needle" style="display:none" d="M0,0V40"/>`;
    $("speed-note").textContent = `up to ${speedText(clip.top_speed, clip, 2)}`;
  }

  function drawContacts(clip) {
    const rows = Math.max(clip.contacts.length, 1);
    const share = (time) => (100 * time / clip.seconds).toFixed(2);
    const bars = clip.contacts.map((spans, foot) => spans.map(([from, to]) =>
      `<rect class="${foot % 2 ? "right" : "left"}" x="${share(from)}" y="${foot * 9 + 2}" width="${Math.max(share(to) - share(from), 0.4).toFixed(2)}" height="6" rx="1"/>`).join("")).join("");
    const svg = $("contacts");
    svg.setAttribute("viewBox", `0 0 100 ${rows * 9 + 1}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.style.height = rows * 17 + "px";
    svg.innerHTML = bars + `<path class="needle" style="display:none" d="M0,0V${rows * 9 + 1}"/>`;
  }

  function drawPath(clip) {
    const xs = clip.path.map((p) => p[0]), zs = clip.path.map((p) => p[1]);
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...zs), Math.max(...zs)];
    const size = Math.max(right - left, bottom - top, 1) * 1.25, middle = [(left + right) / 2, (top + bottom) / 2];
    const wide = size * 3.6;
    let lines = "";
    const step = size > 12 ? 5 : size > 5 ? 1 : 0.5;
    for (let x = Math.ceil((middle[0] - wide / 2) / step) * step; x < middle[0] + wide / 2; x += step) lines += `M${x.toFixed(2)},${middle[1] - size / 2}v${size}`;
    for (let z = Math.ceil((middle[1] - size / 2) / step) * step; z < middle[1] + size / 2; z += step) lines += `M${middle[0] - wide / 2},${z.toFixed(2)}h${wide}`;
    const dot = size * 0.022;
    $("path").setAttribute("viewBox", `${middle[0] - wide / 2} ${middle[1] - size / 2} ${wide} ${size}`);
    $("path").innerHTML = `<path class="grid-line" d="${lines}"/><path class="curve" d="M${clip.path.map((p) => p.join(",")).join("L")}"/>
      <circle class="start" cx="${xs[0]}" cy="${zs[0]}" r="${dot}"/><circle class="here" style="display:none" cx="${xs[0]}" cy="${zs[0]}" r="${dot * 1.3}"/>`;
  }

  // ---- models ----

  /** The bytes of a model, from its script. */
  function request(key) {
    if (models.has(key)) return Promise.resolve(models.get(key));
    return new Promise((resolve, reject) => {
      waiting.set(key, resolve);
      const script = document.createElement("script");
      script.src = `models/${key}.js`;
      script.onerror = () => reject(new Error(`models/${key}.js is missing`));
      script.onload = () => script.remove();
      document.head.append(script);
    });
  }

  function model(key, base64) {
    const text = atob(base64), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    // Characters are few and shared; of the motions only the last is kept.
    for (const old of [...models.keys()]) if (!old.startsWith("character")) models.delete(old);
    models.set(key, bytes);
    const resolve = waiting.get(key);
    waiting.delete(key);
    if (resolve) resolve(bytes);
  }

  // ---- what people do ----

  // The address holds what is searched, filtered, picked and open, so that it can be sent, kept and gone back to.

  /** The part of the address that says what is in the grid. */
  function filtersAsked() {
    const asked = new URLSearchParams(), value = (id) => ($(id) ? $(id).value : "");
    const all = { search: $("search").value, show: [...chosen].join(","), folder: value("folders"), names: value("names"), sort: value("sort") === "name" ? "" : value("sort"), pick: [...picked].join(",") };
    for (const [key, text] of Object.entries(all)) if (text) asked.set(key, text);
    return asked;
  }

  function addressOf(clip) {
    const asked = filtersAsked();
    if (clip) asked.set("clip", clip.id);
    return "#" + asked.toString().replace(/%2C/g, ",").replace(/%3A/g, ":");
  }

  let later = 0;
  /** Browsers refuse a new address at every stroke of a key. */
  function writeAddress() {
    clearTimeout(later);
    later = setTimeout(() => history.replaceState(null, "", addressOf(current)), 200);
  }

  const goTo = (clip) => {
    clearTimeout(later);
    // The address without a clip is a new entry too: back and forward open and close.
    if (addressOf(clip) === location.hash) route(); else location.hash = addressOf(clip);
  };

  function route() {
    const asked = new URLSearchParams(location.hash.slice(1)), clip = clips.find(({ id }) => id === asked.get("clip"));
    asked.delete("clip");
    if (asked.toString() !== shownFor) showAsked(asked);
    if (clip) { if (clip !== current) open(clip); }
    else close();
  }

  /** Closes the detail view. All at once: a dialog says that it closed after the next address may be there. */
  function close() {
    $("detail").close();
    if (!current) return;
    const card = cards.get(current.id);
    current = null;
    if (view3d) view3d.stop();
    $("film").removeAttribute("src");
    if (card) card.querySelector(".open").focus({ preventScroll: false });
  }

  /** Shows what an address asks for, as far as it is there. */
  function showAsked(asked) {
    const text = (key) => asked.get(key) || "";
    const inList = (key) => text(key).split(",").filter(Boolean), known = new Set(clips.map((clip) => clip.id));
    $("search").value = text("search");
    $("sort").value = SORTS.includes(text("sort")) ? text("sort") : "name";
    for (const [id, key] of [["folders", "folder"], ["names", "names"]]) {
      if ($(id)) $(id).value = [...$(id).options].some((option) => option.value === text(key)) ? text(key) : "";
    }
    chosen.clear();
    const buttons = new Set([...$("filters").querySelectorAll("button")].map((button) => button.dataset.key));
    inList("show").filter((key) => buttons.has(key)).forEach((key) => chosen.add(key));
    picked.clear();
    inList("pick").filter((id) => known.has(id)).forEach((id) => picked.add(id));
    update();
  }

  /** What a person changed in search and filters is shown, and kept in the address. */
  function changed() {
    update();
    writeAddress();
  }

  function neighbour(step) {
    const among = shown.includes(current) ? shown : clips;
    const index = among.indexOf(current);
    if (index >= 0) goTo(among[(index + step + among.length) % among.length]);
  }
  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    try { localStorage.setItem("puppetry-theme", theme); } catch { /* pages on disk may not be allowed to */ }
  }

  function wire() {
    try { const theme = localStorage.getItem("puppetry-theme"); if (theme) document.documentElement.dataset.theme = theme; } catch { /* as above */ }
    $("search").addEventListener("input", changed);
    $("sort").addEventListener("change", changed);
    $("reset").addEventListener("click", () => {
      chosen.clear();
      $("search").value = "";
      for (const id of ["names", "folders"]) if ($(id)) $(id).value = "";
      changed();
    });
    $("play-all").addEventListener("click", () => setPlayAll(!playAll));
    $("theme").addEventListener("click", toggleTheme);
    $("filters").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      const { key } = button.dataset;
      if (chosen.has(key)) chosen.delete(key);
      else { chosen.add(key); chosen.delete(OPPOSITES[key]); }
      changed();
    });
    $("filters").addEventListener("change", changed);
    const grid = $("grid");
    grid.addEventListener("click", (event) => {
      const opened = event.target.closest(".open");
      if (opened) goTo(clips.find(({ id }) => id === opened.parentElement.dataset.id));
    });
    grid.addEventListener("change", (event) => pick([event.target.closest(".clip").dataset.id], event.target.checked));
    $("pick-shown").addEventListener("click", () => pick(shown.map(({ id }) => id), true));
    $("pick-none").addEventListener("click", () => pick([...picked], false));
    $("picked-copy").addEventListener("click", () => copy($("picked-copy"), $("picked-command")));
    const hover = (card) => {
      if (hovered === card) return;
      if (hovered && !playAll) setPlaying(hovered, false);
      hovered = card;
      if (card && !calm.matches) setPlaying(card, true);
    };
    grid.addEventListener("pointerover", (event) => { if (event.pointerType === "mouse") hover(event.target.closest(".clip")); });
    grid.addEventListener("pointerleave", () => hover(null));
    grid.addEventListener("focusin", (event) => hover(event.target.closest(".clip")));
    grid.addEventListener("focusout", () => hover(null));
    // Fingers do not hover: what is visible plays.
    if (matchMedia("(hover: none)").matches && !calm.matches) setPlayAll(true);

    $("close").addEventListener("click", () => goTo(null));
    $("previous").addEventListener("click", () => neighbour(-1));
    $("next").addEventListener("click", () => neighbour(1));
    $("tab-film").addEventListener("click", () => show(false));
    $("tab-model").addEventListener("click", () => show(true));
    $("pause").addEventListener("click", () => setStopped(view3d.state.playing));
    $("bones").addEventListener("change", () => { if (view3d) view3d.state.bones = $("bones").checked; });
    $("rate").addEventListener("click", () => {
      const rates = [1, 0.5, 0.25], next = rates[(rates.indexOf(view3d.state.rate) + 1) % rates.length];
      view3d.state.rate = next;
      $("rate").textContent = next + "×";
    });
    $("time").addEventListener("input", () => {
      setStopped(true);
      view3d.state.time = $("time").value * view3d.state.motion.seconds * 0.99999;
    });
    $("copy").addEventListener("click", () => copy($("copy"), $("command")));
    const dialog = $("detail");
    dialog.addEventListener("click", (event) => { if (event.target === dialog) goTo(null); });
    dialog.addEventListener("cancel", (event) => { event.preventDefault(); goTo(null); });
    // A browser may close it without asking.
    dialog.addEventListener("close", () => { if (current && !dialog.open) goTo(null); });
    addEventListener("hashchange", route);
    addEventListener("keydown", key);
  }

  function toggleTheme() {
    const dark = document.documentElement.dataset.theme === "dark"
      || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    setTheme(dark ? "light" : "dark");
  }

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input[type=search], select");
    if ($("detail").open) {
      if (event.key === "ArrowLeft" && !event.target.matches("input")) neighbour(-1);
      else if (event.key === "ArrowRight" && !event.target.matches("input")) neighbour(1);
      else if (event.key === " " && wants3d && view3d && !event.target.matches("button, input")) { setStopped(view3d.state.playing); event.preventDefault(); }
      else if (event.key === "3") show(!wants3d);
      return;
    }
    if (typing) {
      if (event.key === "Escape") { $("search").value = ""; $("search").blur(); changed(); }
      return;
    }
    const focused = document.activeElement.closest(".clip");
    const arrows = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns(), ArrowDown: columns() };
    if (event.key === "/") { $("search").focus(); event.preventDefault(); }
    else if (event.key === "p") setPlayAll(!playAll);
    else if (event.key === "t") toggleTheme();
    else if (event.key === "x" && focused) pick([focused.dataset.id], !picked.has(focused.dataset.id));
    else if (event.key === "Escape" && picked.size) pick([...picked], false);
    else if (event.key in arrows) {
      const index = shown.findIndex((clip) => cards.get(clip.id) === focused);
      if (index < 0 && event.key !== "ArrowDown" && event.key !== "ArrowRight") return;
      const next = shown[index < 0 ? 0 : Math.min(Math.max(index + arrows[event.key], 0), shown.length - 1)];
      if (next) { cards.get(next.id).querySelector(".open").focus(); event.preventDefault(); }
    }
  }

  const columns = () => getComputedStyle($("grid")).gridTemplateColumns.split(" ").length;

  wire();
  return { list, model };
})();
