// The page works without this file. It adds three things to htmx: a drawer for
// "Why?", the focus after something on the page was replaced, and a plain word
// when the server can't be reached.
(() => {
  "use strict";

  const trouble = document.getElementById("trouble");
  const drawer = document.getElementById("drawer");
  const body = document.getElementById("drawer-body");

  const say = (key) => {
    trouble.textContent = trouble.dataset[key];
    trouble.hidden = false;
  };
  const calm = () => {
    trouble.hidden = true;
    trouble.textContent = "";
  };

  document.addEventListener("htmx:sendError", () => say("offline"));
  document.addEventListener("htmx:timeout", () => say("offline"));
  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    if (status === 404 || status === 410) say("gone");
    else if (status === 403) say("signedOut");
    else if (status === 429) say("busy");
    else say("error");
  });
  document.addEventListener("htmx:afterOnLoad", calm);

  // What was replaced takes the focus with it; the fragment says what gets it.
  document.addEventListener("htmx:afterSettle", (event) => {
    const target = event.detail.elt;
    if (body && (target === body || body.contains(target))) {
      if (!drawer.open) drawer.showModal();
      drawer.scrollTop = 0;
    }
    const focus = target.matches("[data-focus]") ? target : target.querySelector("[data-focus]");
    if (focus) focus.focus();
  });

  // News from the reading never takes away what somebody is writing, choosing or finding.
  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    if (event.target.id !== "list") return;
    const query = document.getElementById("query");
    const busy = "form.panel, .choosing, .chips, .asof";
    if (event.target.querySelector(busy) || query?.value) {
      event.detail.shouldSwap = false;
    }
  });

  if (drawer) {
    drawer.addEventListener("click", (event) => {
      if (event.target === drawer || event.target.closest("[data-close]")) {
        event.preventDefault();
        drawer.close();
      }
    });
    // Nothing private stays behind in a closed drawer.
    drawer.addEventListener("close", () => body.replaceChildren());
  }

  // Pages kept by the browser's back button could show what was forgotten since.
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) window.location.reload();
  });
})();
