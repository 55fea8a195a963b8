// A button beside each text that is there to be copied. Without this file one click on the text
// selects all of it.
(() => {
  "use strict";

  if (!navigator.clipboard) return;
  for (const place of document.querySelectorAll(".copy[data-copy]")) {
    const text = place.querySelector("pre");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button-plain";
    button.textContent = place.dataset.copy;
    button.setAttribute("aria-describedby", text.getAttribute("aria-labelledby") || "");
    const said = document.createElement("span");
    said.className = "sr";
    said.setAttribute("role", "status");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = place.dataset.copied;
      said.textContent = place.dataset.copied;
      setTimeout(() => {
        button.textContent = place.dataset.copy;
        said.textContent = "";
      }, 2000);
    });
    place.append(button, said);
  }
})();
