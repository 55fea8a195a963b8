// A quiet word when something was learned while the page is open: how much, a link, undo.
// What comes over the stream are ids; the words are fetched from the page's own address.
(() => {
  "use strict";

  const region = document.getElementById("news");
  if (!region || !window.EventSource || !window.htmx) return;

  const readings = new Set();
  let source = null;
  let last = "";
  let waiting = 0;

  const show = () => {
    waiting = 0;
    const query = [...readings].map((id) => `reading=${encodeURIComponent(id)}`).join("&");
    window.htmx.ajax("GET", `${region.dataset.words}?${query}`, {
      target: region,
      swap: "innerHTML",
    });
  };

  const heard = (event) => {
    last = event.lastEventId;
    if (!event.type.startsWith("memory.") && event.type !== "review.waiting") return;
    const about = JSON.parse(event.data).data;
    if (!about.extraction) return; // the user's own hand: they know
    readings.add(about.extraction);
    // What one reading taught comes as several events.
    if (!waiting) waiting = window.setTimeout(show, 400);
  };

  const open = () => {
    if (source) return;
    source = new EventSource(`${region.dataset.stream}?after=${encodeURIComponent(last)}`);
    for (const type of ["ready", "memory.created", "memory.updated", "review.waiting"]) {
      source.addEventListener(type, heard);
    }
  };
  const close = () => {
    if (source) source.close();
    source = null;
  };

  // A browser has only a few connections for a site: a hidden window needs none.
  const follow = () => (document.hidden ? close() : open());
  document.addEventListener("visibilitychange", follow);
  window.addEventListener("pagehide", close);
  follow();

  region.addEventListener("click", (event) => {
    if (!event.target.closest("[data-hush]")) return;
    readings.clear();
    region.replaceChildren();
  });
  // What was taken back is no news any more.
  region.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.requestConfig?.verb === "post") readings.clear();
  });
})();
