
"use strict";
(() => {
  const cards = [...document.querySelectorAll(".card")];
  let active = null;

  function activate(card) {
    if (active === card) return;
    if (active) active.classList.remove("active");
    active = card;
    if (card) card.classList.add("active");
  }

  function show(card, wanted) {
    const frames = [...card.querySelectorAll(".frame")];
    if (!frames.length) return;
    const at = Math.max(0, Math.min(frames.length - 1, wanted));
    card.dataset.at = at;
    frames.forEach((frame, number) => { frame.hidden = number !== at; });
    const plies = [...card.querySelectorAll("[data-ply]")];
    plies.forEach((ply, number) => {
      if (number === at) ply.setAttribute("aria-current", "step");
      else ply.removeAttribute("aria-current");
    });
    const shelf = card.querySelector(".plies");
    if (shelf && plies[at]) {
      // Within its own box only: the page must not jump while one steps.
      const top = plies[at].offsetTop - shelf.offsetTop;
      if (top < shelf.scrollTop || top > shelf.scrollTop + shelf.clientHeight - 30) shelf.scrollTop = top - 30;
    }
    for (const [name, off] of [["first", at === 0], ["back", at === 0], ["on", at === frames.length - 1], ["last", at === frames.length - 1]]) {
      const button = card.querySelector(`[data-go="${name}"]`);
      if (button) button.disabled = off;
    }
    const where = card.querySelector(".where[aria-live]");
    if (where) {
      const end = at === frames.length - 1 ? ", the divergence" : "";
      where.textContent = at === 0 ? "Start of the walk" : `Move ${at} of ${frames.length - 1}${end}`;
    }
  }

  function step(card, how) {
    const last = card.querySelectorAll(".frame").length - 1;
    const at = Number(card.dataset.at);
    show(card, { first: 0, back: at - 1, on: at + 1, last }[how]);
  }

  for (const card of cards) {
    show(card, card.querySelectorAll(".frame").length - 1);
    card.addEventListener("pointerdown", () => activate(card));
    card.addEventListener("focusin", () => activate(card));
    card.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      if (button.dataset.go) step(card, button.dataset.go);
      else if (button.dataset.ply) show(card, Number(button.dataset.ply));
      else if (button.classList.contains("copy")) copy(button);
    });
  }
  activate(cards[0] || null);

  // Keys go to the finding one looks at: when the active one was scrolled away, to what took its place.
  function looked() {
    const rect = active.getBoundingClientRect();
    if (rect.bottom > 80 && rect.top < innerHeight - 80) return active;
    return cards.find((card) => card.getBoundingClientRect().bottom > innerHeight / 3) || active;
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !active) return;
    if (!["ArrowLeft", "ArrowRight", "Home", "End", "j", "k"].includes(event.key)) return;
    activate(looked());
    const how = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
    if (how && active.querySelectorAll(".frame").length > 1) {
      event.preventDefault();
      step(active, how);
    } else if (event.key === "j" || event.key === "k") {
      event.preventDefault();
      const next = cards[cards.indexOf(active) + (event.key === "j" ? 1 : -1)];
      if (!next) return;
      next.scrollIntoView({ block: "start", behavior: "instant" });
      const film = next.querySelector(".film");
      if (film) film.focus({ preventScroll: true });
      activate(next);
    }
  });

  function copy(button) {
    const code = button.parentElement.querySelector("code");
    const done = (word) => {
      button.textContent = word;
      setTimeout(() => { button.textContent = "Copy"; }, 1400);
    };
    const select = () => {
      const range = document.createRange();
      range.selectNodeContents(code);
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
    };
    // A page opened from a file has no clipboard in every browser; a selection is the next best.
    if (navigator.clipboard && window.isSecureContext) {
      navigator.clipboard.writeText(code.textContent).then(() => done("Copied"), () => { select(); done("Selected"); });
    } else {
      select();
      done(document.execCommand("copy") ? "Copied" : "Selected");
    }
  }

  const root = document.documentElement;
  const themes = ["", "light", "dark"];
  const names = { "": "Auto", light: "Light", dark: "Dark" };
  const toggle = document.getElementById("theme");

  function paint(theme) {
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    document.getElementById("theme-name").textContent = names[theme];
    toggle.setAttribute("aria-label", `Colours: ${theme || "as the system"}`);
  }

  let theme = root.dataset.theme || "";
  try { theme = theme || localStorage.getItem("refute-theme") || ""; } catch { /* a file may have no storage */ }
  paint(themes.includes(theme) ? theme : "");
  toggle.addEventListener("click", () => {
    theme = themes[(themes.indexOf(root.dataset.theme || "") + 1) % themes.length];
    paint(theme);
    try { localStorage.setItem("refute-theme", theme); } catch { /* as above */ }
  });
})();
