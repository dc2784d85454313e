// Opens a report in a real Chromium, light and dark, wide and narrow, and prints what it finds:
//   node look_at_report.mjs CHROMIUM REPORT.html
// One JSON object: {violations: [...], requests: [...], console: [...], overflows: [...]}.
import AxeBuilder from "@axe-core/playwright";
import { chromium } from "playwright-core";

const [executablePath, file] = process.argv.slice(2);
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const found = { violations: [], requests: [], console: [], overflows: [] };
const browser = await chromium.launch({ executablePath, args });
for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 390]) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    const where = `${colorScheme} ${width}`;
    page.on("request", (request) => found.requests.push(request.url()));
    page.on("console", (message) => found.console.push(`${where}: ${message.text()}`));
    await page.goto(`file://${file}`);
    const extra = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (extra > 0) found.overflows.push(`${where}: ${extra} pixels too wide`);
    const { violations } = await new AxeBuilder({ page }).analyze();
    for (const { id, help, nodes } of violations) {
      found.violations.push(`${where}: ${id}: ${help}: ${nodes[0].html.slice(0, 200)}`);
    }
    await context.close();
  }
}
await browser.close();
found.requests = [...new Set(found.requests)].filter((url) => url !== `file://${file}`);
console.log(JSON.stringify(found));
