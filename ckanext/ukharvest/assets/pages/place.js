/* Search by place: names while one types, and the map beside the field. */
(function () {
  "use strict";

  const PAUSE = 150; // milliseconds after the last key
  let waiting;
  let asked = "";

  async function suggest(field) {
    const text = field.value.trim();
    if (!text || text === asked) return;
    asked = text;
    const url = `${field.dataset.ukharvestPlaces}?q=${encodeURIComponent(text)}`;
    let answer;
    try {
      answer = await (await fetch(url)).json();
    } catch {
      return; // The field works without suggestions.
    }
    if (!answer.success || text !== field.value.trim()) return;
    const options = answer.result.map(({ name }) => {
      const option = document.createElement("option");
      option.value = name;
      return option;
    });
    document.getElementById("ukharvest-places")?.replaceChildren(...options);
  }

  document.addEventListener("input", (event) => {
    if (!event.target.dataset.ukharvestPlaces) return;
    clearTimeout(waiting);
    waiting = setTimeout(suggest, PAUSE, event.target);
  });

  /* ckanext-spatial's map puts its box into the same form: the one that was changed counts. */
  document.addEventListener("formdata", (event) => {
    const field = event.target.querySelector("[data-ukharvest-places]");
    if (!field) return;
    if (field.value !== field.defaultValue) {
      event.formData.delete("ext_bbox");
      event.formData.delete("ext_prev_extent");
    } else if (event.formData.get("ext_bbox")) {
      event.formData.delete("ext_place");
    }
  });

  /* CKAN 2.12 answers a facet or other words with the results and the facets alone, put into the
   * page that is there: the map would be made twice in one element. So these load a page. */
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.boosted && document.querySelector(".ukharvest-drawn")) {
      event.preventDefault();
      window.location.assign(event.detail.pathInfo.finalRequestPath);
    }
  });
})();
