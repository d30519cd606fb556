/* The form of a source: shows the options of the chosen type alone; without this it shows all. */
(function () {
  "use strict";

  function chosenType(form) {
    return form.querySelector("input[name=source_type]:checked");
  }

  function showType(form) {
    const radios = form.querySelectorAll("input[name=source_type]");
    if (!radios.length) return; // an edited source: its type stays
    const chosen = chosenType(form);
    for (const each of form.querySelectorAll("[data-options-of]")) {
      each.hidden = !chosen || each.dataset.optionsOf !== chosen.dataset.part;
    }
    const isOther = chosen && chosen.dataset.ours === "false";
    for (const each of form.querySelectorAll("[data-ours]:not(input)")) each.hidden = isOther;
    for (const each of form.querySelectorAll("[data-others]")) each.hidden = !isOther;
    if (!chosen) return;
    const example = chosen.dataset.example;
    form.querySelector("#help-url").textContent = chosen.dataset.hint;
    form.querySelector("#field-url").placeholder = example;
  }

  function showSchedule(form) {
    const chosen = form.querySelector("input[name=frequency]:checked");
    for (const part of form.querySelectorAll("[data-frequencies]")) {
      part.hidden = Boolean(chosen) && !part.dataset.frequencies.split(" ").includes(chosen.value);
    }
  }

  function start() {
    const form = document.getElementById("source-form");
    if (!form) return;
    showType(form);
    showSchedule(form);
    form.addEventListener("change", (event) => {
      if (event.target.name === "source_type") {
        showType(form);
        form.querySelector("#form-told").textContent = event.target.dataset.told;
      }
      if (event.target.name === "frequency") showSchedule(form);
    });
    (document.getElementById("form-errors") || document.getElementById("form-alike"))?.focus();
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
