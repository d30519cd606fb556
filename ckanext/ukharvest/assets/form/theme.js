/* The CKAN module "ukharvest-theme": asks which theme suits what a form says so far.
 *
 * select - id of the select of themes.
 */
(function (ckan) {
  "use strict";

  const PAUSE = 600; // milliseconds without typing before the portal is asked
  const FIELDS = ["title", "notes", "tag_string", "la_function", "la_service"];

  function values(form, name) {
    return new FormData(form).getAll(name).filter((value) => value);
  }

  ckan.module("ukharvest-theme", function ($) {
    return {
      options: { select: "" },

      initialize: function () {
        this.form = this.el[0].closest("form");
        this.select = document.getElementById(this.options.select);
        this.button = this.el[0].querySelector(".ukharvest-theme-use");
        this.button.addEventListener("click", () => this.use());
        // jQuery's, as select2 tells nobody else.
        $(this.form).on("input change", (event) => {
          if (FIELDS.includes(event.target.name)) {
            clearTimeout(this.timer);
            this.timer = setTimeout(() => this.ask(), PAUSE);
          }
        });
        $(this.select).on("change", () => this.showButton());
        this.showButton();
      },

      ask: function () {
        const [title, notes, tags] = FIELDS.slice(0, 3).map((name) => values(this.form, name)[0]);
        const asked = {
          title,
          notes,
          tags: tags || "",
          la_function: values(this.form, "la_function"),
          la_service: values(this.form, "la_service"),
        };
        this.last = asked;
        this.sandbox.client.call("POST", "ukharvest_theme_suggest", asked, (answer) => {
          // An earlier question can be answered later.
          if (this.last === asked) this.show(answer.result);
        });
      },

      show: function (found) {
        const part = (name) => this.el[0].querySelector(".ukharvest-theme-" + name);
        part("found").hidden = !found.theme;
        part("title").textContent = found.title;
        this.button.value = found.theme;
        const reasons = found.why.map((text) => {
          const item = document.createElement("li");
          item.textContent = text;
          return item;
        });
        part("why").replaceChildren(...reasons);
        this.showButton();
      },

      use: function () {
        this.select.value = this.button.value;
        $(this.select).trigger("change");
        this.select.focus();
      },

      showButton: function () {
        this.button.hidden = !this.button.value || this.select.value === this.button.value;
      },
    };
  });
})(this.ckan);
