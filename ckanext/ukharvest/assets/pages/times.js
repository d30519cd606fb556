/* Writes the times of our pages in the reader's own zone and language; day before month. */
(function () {
  "use strict";

  // Plain English has the month first; the portal's words are British.
  const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
  const day = { day: "numeric", month: "long", year: "numeric" };
  const time = { ...day, hour: "2-digit", minute: "2-digit", timeZoneName: "short" };

  function write(root) {
    for (const each of root.querySelectorAll("time.ukharvest-time, time.ukharvest-day")) {
      const given = new Date(each.dateTime);
      if (Number.isNaN(given.getTime())) continue;
      const options = each.classList.contains("ukharvest-day") ? day : time;
      try {
        each.textContent = new Intl.DateTimeFormat(language, options).format(given);
      } catch (error) {
        return; // a language that the browser does not know: the server's words stay
      }
    }
  }

  document.addEventListener("DOMContentLoaded", () => write(document));
  document.addEventListener("htmx:afterSwap", (event) => write(event.target));
})();
