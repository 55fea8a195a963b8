// The page "Try it" works without this file. It adds to it: Enter sends, what one wrote stands
// in the chat at once, the next can be written straight away, and nothing is lost on failure.
(() => {
  "use strict";

  const form = document.getElementById("try-form");
  const text = document.getElementById("try-text");
  const turns = document.getElementById("turns");
  const waiting = document.getElementById("try-waiting");
  if (!form) return;
  let shown = null;
  let sent = "";

  const fit = () => {
    text.rows = 1;
    while (text.rows < 6 && text.scrollHeight > text.clientHeight) text.rows += 1;
  };
  text.addEventListener("input", fit);

  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!shown) form.requestSubmit();
  });

  for (const example of document.querySelectorAll("[data-say]")) {
    example.addEventListener("click", (event) => {
      event.preventDefault();
      if (shown) return;
      text.value = example.dataset.say;
      form.requestSubmit();
    });
  }

  const mine = (event) => event.detail.elt === form;

  form.addEventListener("htmx:beforeSend", (event) => {
    if (!mine(event)) return;
    sent = text.value;
    shown = waiting.content.firstElementChild.cloneNode(true);
    shown.querySelector(".try-said").textContent = sent;
    turns.append(shown);
    document.getElementById("try-empty")?.setAttribute("hidden", "");
    text.value = "";
    fit();
    text.focus();
    shown.scrollIntoView({ block: "center" });
  });

  const away = () => {
    shown?.remove();
    shown = null;
  };

  turns.addEventListener("htmx:beforeSwap", (event) => {
    if (event.target !== turns) return;
    away();
    if (event.detail.xhr.status === 200) document.getElementById("latest")?.removeAttribute("id");
  });

  form.addEventListener("htmx:afterRequest", (event) => {
    if (!mine(event)) return;
    away();
    if (event.detail.xhr.status === 200) {
      sent = "";
      document.getElementById("try-empty")?.remove();
      document.getElementById("latest")?.scrollIntoView({ block: "start" });
      return;
    }
    // Refused or out of reach: it stands in its place again, before what was written since.
    text.value = text.value ? `${sent}\n${text.value}` : sent;
    document.getElementById("try-empty")?.removeAttribute("hidden");
    fit();
    text.focus();
  });

  document.getElementById("latest")?.scrollIntoView({ block: "start" });
})();
