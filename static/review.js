// The review by keyboard, and the focus on the next question once one is answered. Without
// this file each answer is a form, and the page is loaded anew.
(() => {
  "use strict";

  const inbox = document.getElementById("inbox");
  if (!inbox) return;
  const answered = document.getElementById("answered");
  const help = document.getElementById("keys");
  help.hidden = false;

  // A question that was just put on the page is htmx's only once it has settled: an answer
  // before that would leave as a plain form, and load the page anew.
  const coming = () => Boolean(inbox.querySelector("#more, .htmx-added [data-question]"));
  const open = (item) =>
    item.matches("[data-question]") && !item.hasAttribute("aria-busy") && !item.closest(".htmx-added");
  const questions = () => [...inbox.querySelectorAll(".fact")].filter(open);
  const at = () => document.activeElement?.closest("#inbox .fact") ?? null;

  // One question is in the order of the Tab key: the one that had the focus last.
  const ready = (item) => {
    for (const other of inbox.querySelectorAll('.fact[tabindex="0"]')) other.tabIndex = -1;
    if (item) item.tabIndex = 0;
  };
  const go = (item) => {
    ready(item);
    item.focus();
    item.scrollIntoView({ block: "nearest" });
  };
  const from = (item, step) => {
    const all = [...inbox.querySelectorAll(".fact")];
    let place = all.indexOf(item) + step;
    while (all[place] && !open(all[place])) place += step;
    return all[place] ?? null;
  };

  const onwards = (item) => {
    const next = from(item, 1) ?? from(item, -1);
    if (next) go(next);
    else if (coming()) {
      document.querySelector("#more a")?.click();
      // Not on what is about to be replaced: htmx would put the focus on its successor again,
      // and take it from the next question, whichever of the two answers comes first.
      inbox.tabIndex = -1;
      inbox.focus();
    } else {
      item.tabIndex = -1;
      item.focus();
    }
  };

  let waiting = false; // an undo that came before its answer was settled

  // An answer leaves at once; what comes back takes the question's place behind one's back.
  inbox.addEventListener("htmx:configRequest", (event) => {
    if (event.target.matches("form[data-answer]")) {
      event.detail.headers["Review-Goes-On"] = "1";
    }
  });
  inbox.addEventListener("htmx:beforeRequest", (event) => {
    const form = event.target;
    if (!form.matches("form[data-answer]")) return;
    const item = form.closest(".fact");
    if (item.hasAttribute("aria-busy")) {
      event.preventDefault();
      return;
    }
    item.setAttribute("aria-busy", "true");
    onwards(item);
  });
  const failed = (event) => {
    const item = event.target.closest?.(".fact[aria-busy]");
    if (!item) return;
    item.removeAttribute("aria-busy");
    waiting = false;
    go(item);
  };
  inbox.addEventListener("htmx:sendError", failed);
  inbox.addEventListener("htmx:timeout", failed);
  inbox.addEventListener("htmx:responseError", failed);

  let last = null;
  document.addEventListener("htmx:afterSettle", (event) => {
    const item = event.detail.elt;
    if (item.matches?.(".fact.settled") && inbox.contains(item)) {
      last = item.id;
      answered.textContent = item.querySelector("p").textContent.trim();
      if (!questions().length && !coming()) item.focus();
      if (waiting) undo();
    }
    // What was taken back is asked again, and has the focus as a whole.
    if (item.matches?.("[data-question]") && inbox.contains(item) && item.querySelector("[data-focus]")) {
      go(item);
    }
    // The next ones came: the first of them has the focus.
    const waits = questions();
    const lost =
      [document.body, inbox].includes(document.activeElement) || at()?.hasAttribute("aria-busy");
    if (waits.length && lost) {
      if (item.closest?.("#inbox") && !at()?.contains(item)) go(waits[0]);
    }
    if (!inbox.querySelector('.fact[tabindex="0"]')) ready(waits[0]);
  });

  // What was answered just now is settled in a moment, and taken back then.
  const undo = () => {
    waiting = inbox.querySelector(".fact[aria-busy], .htmx-added") !== null;
    if (waiting) return;
    const row = last && document.getElementById(last);
    const settled = row?.matches(".settled") ? [row] : [...inbox.querySelectorAll(".fact.settled")];
    settled.at(-1)?.querySelector("form.undo")?.requestSubmit();
  };
  const answer = (item, name) => {
    const control = item?.querySelector(`[data-answer="${name}"]`);
    if (!control || !open(item)) return false;
    if (control.matches("form")) control.requestSubmit();
    else control.click();
    return true;
  };

  const ANSWERS = { y: "yes", n: "no", b: "both", e: "change", x: "never" };
  inbox.addEventListener("keydown", (event) => {
    if (!inbox.hasAttribute("data-keys") || event.defaultPrevented) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    const item = at();
    if (!item) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    let done = true;
    if (key === "j" || key === "ArrowDown") {
      const next = from(item, 1);
      if (next) go(next);
    } else if (key === "k" || key === "ArrowUp") {
      const before = from(item, -1);
      if (before) go(before);
    } else if (key === "u") undo();
    else if (key === "s") {
      const cover = item.querySelector("details.covered");
      if (cover) cover.open = !cover.open;
    } else if (key === "?") help.open = !help.open;
    else if (key in ANSWERS) done = answer(item, ANSWERS[key]);
    else done = false;
    if (done) event.preventDefault();
  });
  inbox.addEventListener("focusin", () => {
    const item = at();
    if (item && open(item)) ready(item);
  });

  ready(questions()[0]);
})();
