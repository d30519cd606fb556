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
        await navigator.clipboard.writeText(button.dataset.ukharvestCopy);
        said.textContent = button.dataset.ukharvestCopied;
        setTimeout(() => { said.textContent = words; }, 4000);
      });
    }
  });
})();
