/*
 * Suggestions in the result of a test: the button changes the form's field and says so. Without
 * scripts the button sends the form, and the page comes back with the field changed.
 */
(function () {
  "use strict";

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-ukharvest-use]");
    if (!button || !button.form) return;
    const name = button.dataset.ukharvestUse;
    const field = [...button.form.elements].find(
      (each) => each.name === name && (each.type !== "radio" || each.value === button.value),
    );
    if (!field) return;
    event.preventDefault();
    if (field.type === "radio") field.checked = true;
    else field.value = button.value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
    const told = button.closest(".ukharvest-tries")?.querySelector("[data-ukharvest-used]");
    if (told) told.textContent = button.dataset.told;
  });
})();
