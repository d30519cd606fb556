/*
 * Parts of a page that renew themselves (htmx): never under the reader's hand, and pausable. Macro
 * "live" in templates/ukharvest/macros.html writes all of it:
 *
 *   <div class="ukharvest-live" id="…" hx-get="…" hx-trigger="every 5s">
 *     <div data-ukharvest-says="…">…</div>      what a screen reader is told when it changes
 *     <input type="hidden" data-ukharvest-calm> nothing goes on: once a minute is enough
 *   </div>
 *   <p class="visually-hidden" role="status" data-ukharvest-told="id of the part"></p>
 *   <span hidden data-ukharvest-stopped="id of the part">
 *   <button type="button" hidden data-ukharvest-pause="id of the part" data-ukharvest-go="Go on">
 *
 * An answer may bring another part along (hx-swap-oob): one of class ukharvest-follows waits as
 * well while the reader is in it.
 */
(function () {
  "use strict";

  const CALM = 60000; // milliseconds
  const MOST_FAILURES = 3; // in a row: a server that starts anew answers after one or two
  const begun = Date.now();
  const asked = new Map(); // by id of the part: a part can be replaced as a whole
  const failures = new Map();
  const resting = new Set();

  const isLive = (part) => Boolean(part?.classList?.contains("ukharvest-live"));
  const of = (part, what) => document.querySelector(`[data-ukharvest-${what}="${part.id}"]`);
  const isRead = (part) => part.contains(document.activeElement);
  const isCalm = (part) => Boolean(part.querySelector("[data-ukharvest-calm]"));

  function mayAsk(part) {
    if (document.hidden || resting.has(part.id) || isRead(part)) return false;
    return !isCalm(part) || Date.now() - (asked.get(part.id) ?? begun) >= CALM;
  }

  /* Nobody needs to pause a part in which nothing moves. */
  function offerPause(part) {
    const button = of(part, "pause");
    if (button) button.hidden = !resting.has(part.id) && isCalm(part);
  }

  function stop(part) {
    resting.add(part.id);
    of(part, "stopped")?.removeAttribute("hidden");
    of(part, "pause")?.setAttribute("hidden", "");
  }

  document.addEventListener("htmx:beforeRequest", (event) => {
    const part = event.detail.elt;
    if (!isLive(part)) return;
    if (mayAsk(part)) asked.set(part.id, Date.now());
    else event.preventDefault();
  });

  // CKAN shows a message for each answer of this kind, which would be one every few seconds.
  document.addEventListener(
    "htmx:responseError",
    (event) => {
      if (isLive(event.detail.elt)) event.stopPropagation();
    },
    true,
  );

  document.addEventListener("htmx:afterRequest", (event) => {
    const part = event.detail.target;
    if (!isLive(part)) return;
    const failed = event.detail.successful ? 0 : (failures.get(part.id) ?? 0) + 1;
    failures.set(part.id, failed);
    const status = event.detail.xhr.status;
    // Who may not see it, or no longer, may not in five seconds either.
    const isRefused = status >= 400 && status < 500;
    if (failed && (isRefused || failed >= MOST_FAILURES)) stop(part);
  });

  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    const part = event.detail.target;
    if (part.classList.contains("ukharvest-follows") && isRead(part)) event.preventDefault();
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    // The element of the event is the first that is new, the target the one that was asked for.
    const part = document.getElementById(event.detail.target?.id);
    if (!isLive(part)) return;
    const told = of(part, "told");
    const words = part.querySelector("[data-ukharvest-says]")?.dataset.ukharvestSays;
    if (told && words && told.textContent !== words) told.textContent = words;
    if (!resting.has(part.id)) offerPause(part);
  });

  document.addEventListener("DOMContentLoaded", () => {
    for (const button of document.querySelectorAll("[data-ukharvest-pause]")) {
      const part = button.dataset.ukharvestPause;
      const pause = button.textContent;
      const found = document.getElementById(part);
      if (found) offerPause(found);
      button.addEventListener("click", () => {
        if (!resting.delete(part)) resting.add(part);
        button.textContent = resting.has(part) ? button.dataset.ukharvestGo : pause;
      });
    }
  });
})();
