// Runs in a page in a browser, behind the page's own script: uses the page as a reader does and writes what it saw
// into the document, where scripts/pages.sh finds it.
(() => {
  const all = (root, selector) => Array.from(root.querySelectorAll(selector));
  let checks = 0;
  const failures = window.pageErrors || ["the errors of the page are not recorded"];
  const check = (holds, what) => { checks += 1; if (!holds) failures.push(what); };
  const key = (target, name) => target.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));

  for (const trace of all(document, ".trace")) {
    const count = all(trace, "tr[data-step]").length;
    const slider = trace.querySelector("input"), output = trace.querySelector("output");
    const at = () => all(trace, "tr.now").map((row) => row.dataset.step).join();
    const cards = () => trace.querySelector(".state").textContent;
    check(count > 0 && slider.max === String(count), "the slider has a place for every step");
    check(cards().startsWith("Memory"), "the state shows memory");
    slider.focus();
    key(slider, "ArrowRight");
    check(at() === "1" && output.textContent === "step 1 of " + count, "the arrow key takes a step: " + output.textContent);
    check(all(trace, ".source .line.now").length <= 1, "at most one line is the step's");
    key(slider, "End");
    check(at() === String(count), "End goes to the last step");
    const last = cards();
    key(slider, "ArrowLeft");
    check(at() === (count > 1 ? String(count - 1) : ""), "the arrow key goes back");
    slider.value = String(count);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    check(at() === String(count) && cards() === last, "the slider moves to the same state");
    trace.querySelector("[data-go=first]").click();
    check(at() === "" && output.textContent.startsWith("start"), "the button goes to the start");
    const row = all(trace, "tr[data-step]")[Math.floor(count / 2)];
    row.click();
    check(at() === row.dataset.step, "a click goes to a step");
    let seen = 0;
    key(slider, "Home");
    for (let step = 1; step <= count; step += 1) {
      key(slider, "ArrowRight");
      seen += at() === String(step) && all(trace, ".state .card").length > 1 ? 1 : 0;
    }
    check(seen === count, "every step shows its state");
  }

  for (const pair of all(document, ".pair")) {
    const lit = (side) => all(pair, "." + side + " .line.lit").map((line) => line.dataset.line);
    const linked = all(pair, ".made .line[data-src]").filter((line) => line.dataset.src);
    check(linked.length > 0, "lines of the translation are linked");
    for (const line of linked.slice(0, 300)) {
      line.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
      if (lit("source").join(" ") !== line.dataset.src || !lit("made").includes(line.dataset.line)) {
        check(false, "line " + line.dataset.line + " lights up " + lit("source"));
        break;
      }
    }
    check(lit("source").length > 0, "a line lights up its source");
    const number = linked.find((line) => line.dataset.kind === "statement")?.dataset.src.split(" ")[0];
    const source = pair.querySelector(".source .line[data-line='" + number + "']");
    source.click();
    const wanted = linked.filter((line) => line.dataset.src.split(" ").includes(number)).map((line) => line.dataset.line);
    check(lit("made").join() === wanted.join() && wanted.length > 0, "a line of the source lights up its translation");
    const box = pair.querySelector(".source .lines");
    key(box, "ArrowDown");
    check(lit("source").join() === String(Number(number) + 1), "the arrow key goes to the next line");
    key(box, "Escape");
    check(lit("source").length + lit("made").length === 0, "Escape puts the light out");
  }

  for (const view of all(document, ".fences-view")) {
    const buttons = all(view, ".placements button");
    check(buttons.length > 0, "there are placements");
    for (const button of buttons) {
      button.click();
      const marked = all(view, "[data-sets]");
      const right = marked.every((mark) => mark.classList.contains("off") !== mark.dataset.sets.split(" ").includes(button.dataset.set));
      check(right && button.getAttribute("aria-pressed") === "true", "a placement stands out in the source");
    }
  }

  check(document.documentElement.scrollWidth <= window.innerWidth + 1, "the page is not wider than the window: " + document.documentElement.scrollWidth);
  check(all(document, "[src], link[href^=http]").length === 0, "nothing is loaded");
  const result = document.createElement("pre");
  result.id = "page-test";
  result.textContent = failures.length ? "FAILED " + failures.join("; ") : "PASSED " + checks + " checks";
  document.body.append(result);
})();
