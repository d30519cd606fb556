/* Search by place. CKAN 2.12 answers a facet or other words with the results and the facets alone,
 * put into the page that is there: the place beside them would go on asking for what was searched
 * for before, and ckanext-spatial's map be made twice in one element. So these load a page. */
"use strict";

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.boosted && document.querySelector(".ukharvest-place")) {
    event.preventDefault();
    window.location.assign(event.detail.pathInfo.finalRequestPath);
  }
});
