"use strict";
(() => {
  const all = (root, selector) => Array.from(root.querySelectorAll(selector));

  // Brings a row into view within its own scrolling box, without moving the page.
  const reveal = (box, row) => {
    const top = row.offsetTop, bottom = top + row.offsetHeight;
    if (top < box.scrollTop + 30) box.scrollTop = top - 60;
    else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight + 60;
  };

  // A source beside its translation: a line lights up those that it corresponds to.
  for (const pair of all(document, ".pair")) {
    const source = pair.querySelector(".source .lines"), made = pair.querySelector(".made .lines");
    const left = all(source, ".line"), right = all(made, ".line");
    const from = new Map();
    for (const line of right) {
      const sources = (line.dataset.src || "").split(" ").filter(Boolean);
      for (const number of sources) {
        if (!from.has(number)) from.set(number, []);
        from.get(number).push(line);
      }
    }
    const partners = (line) => {
      if (source.contains(line)) return [line].concat(from.get(line.dataset.line) || []);
      if (!line.dataset.src) return [line];
      const numbers = new Set(line.dataset.src.split(" "));
      const same = right.filter((other) => other.dataset.src === line.dataset.src && other.dataset.kind === line.dataset.kind);
      return same.concat(left.filter((other) => numbers.has(other.dataset.line)));
    };
    let pinned = null;
    const show = (line, follow) => {
      for (const lit of all(pair, ".lit")) lit.classList.remove("lit");
      if (!line) return;
      const lines = partners(line);
      for (const lit of lines) lit.classList.add("lit");
      if (!follow) return;
      reveal(line.parentElement, line);
      const other = source.contains(line) ? made : source;
      const first = lines.find((lit) => other.contains(lit));
      if (first) reveal(other, first);
    };
    const lineOf = (event) => event.target.closest(".line");
    for (const box of [source, made]) {
      box.addEventListener("mouseover", (event) => { if (!pinned) show(lineOf(event), false); });
      box.addEventListener("mouseleave", () => { if (!pinned) show(null, false); });
      box.addEventListener("click", (event) => {
        const line = lineOf(event);
        pinned = line === pinned ? null : line;
        show(pinned, true);
      });
      box.addEventListener("keydown", (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (event.key === "Escape") { pinned = null; show(null, false); }
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        const lines = box === source ? left : right;
        const at = lines.indexOf(pinned);
        const next = at < 0 ? (step > 0 ? 0 : lines.length - 1) : at + step;
        pinned = lines[Math.max(0, Math.min(lines.length - 1, next))];
        show(pinned, true);
      });
    }
  }

  // An execution, step by step.
  const steppers = all(document, ".trace").map((trace) => {
    const data = JSON.parse(trace.querySelector(".states").textContent);
    const slider = trace.querySelector("input"), output = trace.querySelector("output");
    const state = trace.querySelector(".state"), lanes = trace.querySelector(".lanes");
    const rows = all(lanes, "tr[data-step]"), box = trace.querySelector(".source .lines");
    const lines = all(box, ".line"), last = data.points.length - 1;
    const make = (name, className, text) => {
      const element = document.createElement(name);
      if (className) element.className = className;
      if (text !== undefined) element.textContent = text;
      return element;
    };
    const row = (label, cells) => {
      const element = make("div", "row", label + " ");
      for (const [text, isNew] of cells) element.append(make("span", isNew ? "cell new" : "cell", text));
      return element;
    };
    const values = (owner, point, before) => {
      const cells = [];
      data.vars.forEach(([of, name], index) => {
        if (of !== owner) return;
        const value = point.values[index];
        cells.push([name + " = " + value, before && before.values[index] !== value]);
      });
      return cells;
    };
    let now = 0;
    const show = (number) => {
      now = Math.max(0, Math.min(last, number));
      const point = data.points[now], before = data.points[now - 1];
      slider.value = String(now);
      const said = point.step ? data.threads[point.step.thread] + ": " + point.step.text : "start";
      slider.setAttribute("aria-valuetext", "step " + now + ", " + said);
      output.textContent = now === 0 ? "start, " + last + (last === 1 ? " step" : " steps") : "step " + now + " of " + last;
      rows.forEach((element, index) => {
        element.classList.toggle("now", index + 1 === now);
        element.classList.toggle("later", index + 1 > now);
      });
      state.replaceChildren();
      const memory = make("div", "card");
      memory.append(make("h4", "", "Memory"), row("", values(null, point, before)));
      state.append(memory);
      data.threads.forEach((name, thread) => {
        const card = make("div", point.step && point.step.thread === thread ? "card now" : "card");
        const at = point.at[thread];
        card.append(make("h4", "", name + (at ? ", line " + at : ", ended")));
        const locals = values(thread, point, before);
        if (locals.length) card.append(row("locals", locals));
        if (data.buffered) {
          const fifos = point.buffers.filter(([of]) => of === thread);
          if (!fifos.length) card.append(row("buffer empty", []));
          for (const [, entries] of fifos) card.append(row("buffer", entries.map((entry) => [entry, false])));
        }
        state.append(card);
      });
      for (const line of lines) line.classList.remove("now", "at");
      for (const at of point.at) if (at) lines[at - 1]?.classList.add("at");
      const line = point.step && point.step.line && lines[point.step.line - 1];
      if (line) { line.classList.add("now"); reveal(box, line); }
      if (rows[now - 1]) reveal(lanes, rows[now - 1]);
      else lanes.scrollTop = 0;
    };
    const moves = { first: () => show(0), back: () => show(now - 1), on: () => show(now + 1), last: () => show(last) };
    slider.addEventListener("input", () => show(Number(slider.value)));
    for (const button of all(trace, "[data-go]")) button.addEventListener("click", () => moves[button.dataset.go]());
    for (const element of rows) element.addEventListener("click", () => show(Number(element.dataset.step)));
    show(0);
    return { trace, moves };
  });

  // The arrow keys move the execution that has the focus or, where none has, the one nearest to the top of the window.
  const nearest = () => {
    const focused = steppers.find(({ trace }) => trace.contains(document.activeElement));
    if (focused) return focused;
    const distance = ({ trace }) => Math.abs(trace.getBoundingClientRect().top);
    return steppers.slice().sort((a, b) => distance(a) - distance(b))[0];
  };
  document.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
    const modified = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
    const stepper = move && !modified && steppers.length ? nearest() : null;
    if (!stepper) return;
    event.preventDefault();
    stepper.moves[move]();
  });

  // Fence placements: the one that is chosen stands out in the source.
  for (const view of all(document, ".fences-view")) {
    const buttons = all(view, ".placements button");
    const choose = (number) => {
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.set === number));
      for (const line of all(view, "[data-sets]")) {
        line.classList.toggle("off", !line.dataset.sets.split(" ").includes(number));
      }
    };
    for (const button of buttons) button.addEventListener("click", () => choose(button.dataset.set));
    if (buttons.length) choose(buttons[0].dataset.set);
  }
})();
