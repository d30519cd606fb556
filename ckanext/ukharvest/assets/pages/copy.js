/* Buttons that copy a text; hidden where a browser cannot. */
(function () {
  "use strict";

  if (!navigator.clipboard) return;
  document.addEventListener("DOMContentLoaded", () => {
    for (const button of document.querySelectorAll("[data-ukharvest-copy]")) {
      const said = button.querySelector("[role=status]");
      const words = said.textContent;
      button.hidden = false;
      button.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(button.dataset.ukharvestCopy);
        } catch {  // the browser does not allow it: the text, to be copied by hand
          window.prompt("", button.dataset.ukharvestCopy);
          return;
        }
        said.textContent = button.dataset.ukharvestCopied;
        setTimeout(() => { said.textContent = words; }, 4000);
      });
    }
  });
})();
