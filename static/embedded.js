// Within a frame nobody has to press a button to see the page that was put there for them.
(() => {
  "use strict";

  if (window.top !== window) document.querySelector("form[data-open]")?.requestSubmit();
})();
