/* A web map service: the layers that are ticked, as pictures from the service itself. */
(function (ckan) {
  "use strict";

  const { L, WORLD } = ckan.ukharvestMap;
  const PATIENCE = 20000; // milliseconds
  const LONGEST = 300; // characters of a server's own words

  /* The words of a service exception (OGC 06-042, 6.11), "" if it is none. */
  function exception(text) {
    const found = new DOMParser().parseFromString(text, "text/xml");
    const said = Array.from(found.getElementsByTagNameNS("*", "*"))
      .filter((each) => ["ServiceException", "ExceptionText"].includes(each.localName))
      .map((each) => each.textContent.trim() || each.getAttribute("code") || "");
    return said.join(" ").slice(0, LONGEST);
  }

  /* Say why the server sent no picture for an address. */
  async function explain(url, { settings, server, say }) {
    const silence = await server.silence(url);
    if (silence) {
      return say(silence, {}, url);
    }
    let words = "";
    try {
      words = exception(await (await fetch(url, { credentials: "omit" })).text());
    } catch {
      // The server lets no other site read its answers: the link below shows it.
    }
    return say(words ? settings.texts.exception : settings.texts.picture, { words }, url);
  }

  /* Show of the list of layers those whose text holds what is typed. */
  function filter(root) {
    const field = root.querySelector(".ukharvest-map-filter input");
    const rows = Array.from(root.querySelectorAll(".ukharvest-map-layers li"));
    field?.addEventListener("input", () => {
      const wanted = field.value.trim().toLowerCase();
      rows.forEach((row) => {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
      });
    });
  }

  ckan.ukharvestMap.wms = (view) => {
    const { map, settings, root, say } = view;
    const boxes = Array.from(root.querySelectorAll(".ukharvest-map-layers input"));
    const pictures = L.tileLayer.wms(settings.url, {
      version: settings.version,
      format: "image/png",
      transparent: true,
      uppercase: true,
      // Every service knows degrees; between the corners of a tile of a map in Web Mercator they
      // are some pixels off at the scale of a country, and less than one at that of a county.
      crs: L.CRS.EPSG4326,
      tileSize: 512,
      noWrap: true,
      bounds: WORLD,
      maxZoom: 18,
    });
    let came, failed, timer;
    let turn = 0;

    /* Count anew what comes; an explanation that takes its time is for its own turn only. */
    const begin = () => {
      [came, failed] = [0, []];
      turn += 1;
      clearTimeout(timer);
      timer = setTimeout(() => came || say(settings.texts.slow, {}, settings.url), PATIENCE);
    };
    const end = () => {
      const mine = turn;
      clearTimeout(timer);
      if (failed.length && !came) {
        explain(failed[0], { ...view, say: (...words) => mine === turn && say(...words) });
      } else if (failed.length) {
        say(settings.texts.some, { missing: failed.length, all: came + failed.length }, failed[0]);
      } else {
        say(settings.texts.shown);
      }
    };
    const show = () => {
      // A service draws the first of its list at the bottom.
      const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
      pictures.remove();
      begin();
      pictures.setParams({ layers: chosen.reverse().join(",") }, true);
      if (chosen.length) {
        say(settings.texts.loading);
        pictures.addTo(map);
      } else {
        clearTimeout(timer);
        say(settings.texts.none);
      }
    };

    pictures.on("loading", begin);
    pictures.on("tileload", () => (came += 1));
    pictures.on("tileerror", (event) => failed.push(event.tile.src));
    pictures.on("load", end);
    boxes.forEach((box) => box.addEventListener("change", show));
    filter(root);
    show();
  };
})(this.ckan);
