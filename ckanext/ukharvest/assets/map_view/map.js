/* The CKAN module "ukharvest-map": a resource on a map, loaded by the browser itself.
 *
 * Every text of the data and of servers becomes a text node; no address is followed that is not
 * http or https.
 */
(function (ckan) {
  "use strict";

  const shared = ckan.ukharvestMap;

  /* Put values into a text of ours: fill("No answer from {host}", {host: "a.example"}). */
  function fill(text, values) {
    return text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));
  }

  function isWebAddress(url) {
    try {
      return ["http:", "https:"].includes(new URL(url, location.href).protocol);
    } catch {
      return false;
    }
  }

  /* True for an address that a page loaded by https may not load. */
  function isMixed(url) {
    return location.protocol === "https:" && new URL(url, location.href).protocol === "http:";
  }

  /* What a server that gave no data did, told apart as far as a browser may know. */
  class Server {
    constructor(url, texts) {
      this.host = new URL(url, location.href).host;
      this.texts = texts;
      this.isForbidden = false;
      document.addEventListener("securitypolicyviolation", (event) => {
        this.isForbidden = this.isForbidden || event.blockedURI.includes(this.host);
      });
    }

    /* Return the sentence for an address from which nothing came and what a developer calls the
     * reason; null if its server answers. */
    async silence(url) {
      if (isMixed(url)) {
        return { text: this.texts.forbidden, words: "(mixed content: https, http)" };
      }
      try {
        // Such an answer cannot be read, only that there is one.
        const signal = AbortSignal.timeout(20000);
        await fetch(url, { mode: "no-cors", credentials: "omit", signal });
        return null;
      } catch {
        // The browser tells of a breach of the page's policy after it has refused.
        await new Promise((resolve) => setTimeout(resolve, 50));
        return this.isForbidden
          ? { text: this.texts.forbidden, words: "(Content Security Policy)" }
          : { text: this.texts.silent, words: "" };
      }
    }
  }

  ckan.module("ukharvest-map", () => ({
    initialize() {
      const settings = this.options.settings;
      const root = this.el[0];
      const status = root.querySelector(".ukharvest-map-status");
      const server = new Server(settings.url, settings.texts);

      /* Say a sentence, then a server's own words and a link to what it is about; "" empties the
       * line. */
      const say = (text, values = {}, url = "") => {
        const sentence = fill(text, { host: server.host, ...values });
        status.textContent = values.words ? `${sentence} ${values.words}` : sentence;
        if (url && isWebAddress(url)) {
          const link = document.createElement("a");
          link.href = url;
          link.rel = "nofollow noopener noreferrer";
          link.textContent = settings.texts.look;
          status.append(" ", link);
        }
      };

      root.querySelector(".ukharvest-map-body").hidden = false;
      const map = shared.create(root.querySelector(".ukharvest-map-canvas"), settings);
      shared[settings.kind]({ map, settings, root, server, say });
    },
  }));
})(this.ckan);
