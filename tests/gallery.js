// Drives the page; see gallery.sh.
"use strict";
const assert = require("node:assert/strict");
const { chromium } = require("playwright-core");
const [, , gallery, pictures] = process.argv;

// The time in which a page of any size must be there. A busy machine gets more by PATIENCE.
const OPENS_WITHIN = 1000 * Number(process.env.PATIENCE || 1);

async function main() {
  const browser = await chromium.launch({
    executablePath: process.env.BROWSER,
    args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
  });
  const complaints = [];
  const watch = (page) => {
    page.setDefaultTimeout(120000);
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => { if (message.type() === "error") complaints.push(message.text()); });
    page.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) complaints.push("asked for " + request.url()); });
    return page;
  };
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: "light" });
  const page = watch(await context.newPage());
  const picture = (name) => page.screenshot({ path: `${pictures}/${name}.png`, timeout: 120000, animations: "disabled" });
  const count = () => page.locator(".clip:not([hidden])").count();

  await page.goto("file://" + gallery + "/index.html");
  const opened = await page.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd);
  const all = await count();
  console.log(`opens with ${all} clips in ${Math.round(opened)} ms`);
  assert.ok(all > 0 && opened < OPENS_WITHIN);
  await page.waitForTimeout(500);
  await picture("grid");

  // Search, and clear by keyboard.
  await page.keyboard.press("/");
  await page.keyboard.type("walk");
  const walks = await count();
  assert.ok(walks > 0 && walks < all, `${walks} of ${all} are called walk`);
  assert.ok((await page.locator(".clip:not([hidden]) mark").count()) > 0, "what was found is marked");
  await picture("search");
  await page.keyboard.press("Escape");
  assert.equal(await count(), all);
  await page.fill("#search", "no such motion");
  assert.ok(await page.isVisible("#nothing"));
  await page.click("#reset");

  // Search and filters are in the address: it can be sent, and gone back to.
  await page.fill("#search", "walk");
  await page.locator("#filters button").first().click();
  await page.waitForFunction(() => /search=walk/.test(location.hash) && /show=/.test(location.hash));
  const asked = await count(), address = page.url();
  const second = watch(await context.newPage());
  await second.goto(address);
  assert.equal(await second.inputValue("#search"), "walk");
  assert.equal(await second.locator(".clip:not([hidden])").count(), asked);
  assert.equal(await second.getAttribute("#filters button[aria-pressed=true]", "data-key"), await page.getAttribute("#filters button[aria-pressed=true]", "data-key"));
  await second.goto(address.replace(/#.*/, "#search=%25&show=nonsense&folder=none&sort=nothing&pick=nobody&clip=gone"));
  assert.ok(await second.isVisible("#nothing"), "an address that asks for what is not there harms nobody");
  await second.close();
  await page.fill("#search", "");
  await page.locator("#filters button").first().click();

  // Filters and sorting.
  const filter = page.locator("#filters button").first();
  const amount = Number(await filter.locator("small").textContent());
  await filter.click();
  assert.equal(await count(), amount);
  assert.equal(await filter.getAttribute("aria-pressed"), "true");
  await filter.click();
  await page.selectOption("#sort", "seconds");
  const times = await page.$$eval(".clip:not([hidden]) .badge", (badges) => badges.map((badge) => parseFloat(badge.textContent.replace("↻", ""))));
  assert.deepEqual(times, times.slice().sort((a, b) => b - a));
  await page.selectOption("#sort", "name");

  // A clip plays while the mouse is over it, and only then.
  await page.hover(".clip:nth-child(2)");
  await page.waitForSelector(".clip:nth-child(2) .film", { state: "attached" });
  await page.hover("h1");
  await page.waitForSelector(".clip .film", { state: "detached" });

  // Several clips, by mouse and by keyboard, are one command.
  await page.hover(".clip:nth-child(1)");
  await page.locator(".clip:nth-child(1) .pick input").check();
  await page.focus(".clip:nth-child(2) .open");
  await page.keyboard.press("x");
  assert.equal(await page.textContent("#picked-count"), "2 clips chosen");
  const together = await page.textContent("#picked-command");
  assert.ok(/^puppetry animate \S+ --motion .+ --motion .+ -o \S+_animated.glb/.test(together), together);
  await page.waitForFunction(() => /pick=.+,.+/.test(location.hash));
  await page.waitForTimeout(300);
  await picture("picked");
  await page.click("#pick-shown");
  assert.equal(await page.locator(".clip.is-picked").count(), all);
  await page.keyboard.press("Escape");
  assert.ok(await page.isHidden("#picked"));

  // One clip by keyboard: in 3D at once, its film behind a tab.
  await page.focus(".clip:nth-child(1) .open");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#detail[open]");
  await page.waitForFunction(() => document.getElementById("sheet").naturalWidth > 0);
  await page.waitForSelector("#model:not([hidden])");
  const name = await page.textContent("#detail-name");
  assert.ok((await page.textContent("#command")).startsWith("puppetry animate "));
  await page.waitForTimeout(500);
  await picture("detail");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((before) => document.getElementById("detail-name").textContent !== before, name);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("3");
  await page.waitForFunction(() => !document.getElementById("film").hidden && document.getElementById("film").complete);
  await picture("film");
  assert.equal(await page.getAttribute("#tab-film", "aria-selected"), "true");

  // In 3D: it moves by itself, stops, and turns with the mouse.
  await page.click("#tab-model");
  await page.waitForFunction(() => parseFloat(document.getElementById("clock").textContent) > 0.05);
  await page.click("#pause");
  const sight = () => page.evaluate(() => {
    const canvas = document.getElementById("model");
    return new Promise((resolve) => requestAnimationFrame(() => {
      const copy = document.createElement("canvas");
      copy.width = copy.height = 64;
      copy.getContext("2d").drawImage(canvas, 0, 0, 64, 64);
      resolve(Array.from(copy.getContext("2d").getImageData(0, 0, 64, 64).data));
    }));
  });
  const difference = (a, b) => a.reduce((sum, value, i) => sum + Math.abs(value - b[i]), 0) / a.length;
  const before = await sight();
  assert.ok(before.some((value) => value > 0), "something is drawn");
  const box = await page.locator("#model").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 150, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  assert.ok(difference(before, await sight()) > 0.5, "the mouse turns it");
  const turned = await sight();
  await page.focus("#model");
  await page.keyboard.press("ArrowLeft");
  assert.ok(difference(turned, await sight()) > 0.2, "the arrow keys turn it");
  const seek = (share) => page.evaluate((to) => { document.getElementById("time").value = to; document.getElementById("time").dispatchEvent(new Event("input")); }, share);
  await seek(0.25);
  const early = await sight();
  await seek(0.6);
  assert.ok(difference(early, await sight()) > 0.2, "another time is another pose");
  await page.check("#bones");
  await page.waitForTimeout(300);
  await picture("model");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#detail:not([open])", { state: "attached" });
  // The focus is back on its clip.
  await page.waitForFunction(() => document.activeElement.matches(".clip .open"));
  await page.goBack();
  await page.waitForSelector("#detail[open]");
  await page.goForward();
  await page.waitForSelector("#detail:not([open])", { state: "attached" });

  // Dark: the pictures do not glare.
  await page.keyboard.press("t");
  await page.waitForTimeout(200);
  await picture("dark");
  const corner = (await page.locator(".clip:nth-child(1) .screen").screenshot()).toString("base64");
  const light = await page.evaluate(async (png) => {
    const image = new Image(), copy = document.createElement("canvas"), pen = copy.getContext("2d");
    image.src = "data:image/png;base64," + png;
    await image.decode();
    [copy.width, copy.height] = [image.width, image.height];
    pen.drawImage(image, 0, 0);
    const [r, g, b] = pen.getImageData(image.width / 2, image.height - 4, 1, 1).data;
    return (r + g + b) / 3;
  }, corner);
  assert.ok(light < 180, `a picture glares with a level of ${light} on a dark page`);
  await page.focus(".clip:nth-child(1) .open");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#model:not([hidden])");
  await page.waitForTimeout(500);
  await picture("dark-detail");
  await page.keyboard.press("Escape");
  await context.close();

  // Whoever wants no motion gets none by passing over a clip.
  const calm = watch(await browser.newPage({ reducedMotion: "reduce" }));
  await calm.goto("file://" + gallery + "/index.html");
  await calm.hover(".clip:nth-child(2)");
  await calm.waitForTimeout(300);
  assert.equal(await calm.locator(".clip .film").count(), 0, "nothing plays by itself");
  await calm.close();

  // A phone: fingers do not hover, so that what is visible plays.
  const phone = watch(await browser.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }));
  await phone.goto("file://" + gallery + "/index.html");
  await phone.waitForSelector(".clip .film", { state: "attached" });
  const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} pixels wide`);
  await phone.screenshot({ path: `${pictures}/phone.png`, timeout: 120000 });
  await phone.tap(".clip:nth-child(1) .open");
  await phone.waitForSelector("#detail[open]");
  await phone.waitForTimeout(500);
  await phone.screenshot({ path: `${pictures}/phone-detail.png`, timeout: 120000 });
  await phone.tap("#close");
  await phone.locator(".clip:nth-child(1) .pick input").check();
  await phone.locator(".clip:nth-child(2) .pick input").check();
  await phone.waitForTimeout(300);
  assert.ok((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390, "a command does not widen the page");
  await phone.screenshot({ path: `${pictures}/phone-picked.png`, timeout: 120000 });

  await browser.close();
  assert.deepEqual(complaints, []);
  console.log("1 passed, 0 failed");
}

main().catch((error) => { console.error(error); process.exit(1); });
