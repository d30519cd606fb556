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
      return say(silence.text, { words: silence.words }, url);
    }
    let words = "";
    try {
      words = exception(await (await fetch(url, { credentials: "omit" })).text());
    } catch {
      // The server lets no other site read its answers: the link below shows it.
    }
    return say(settings.texts.refused, { words }, url);
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

  function createPictures({ url, version }) {
    return L.tileLayer.wms(url, {
      version,
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
  }

  /* Say how the pictures fare; return a function that begins to count anew. */
  function watch(pictures, view) {
    const { texts, url } = view.settings;
    let came, failed, timer;
    let turn = 0;

    const begin = () => {
      [came, failed] = [0, []];
      turn += 1;
      clearTimeout(timer);
      timer = setTimeout(() => came || view.say(texts.silent, {}, url), PATIENCE);
    };
    const end = () => {
      const mine = turn;
      clearTimeout(timer);
      if (failed.length && !came) {
        // An explanation takes its time, and is for its own turn only.
        explain(failed[0], { ...view, say: (...words) => mine === turn && view.say(...words) });
      } else if (failed.length) {
        view.say(texts.refused, {}, failed[0]);
      } else {
        view.say(texts.shown);
      }
    };

    pictures.on("loading", begin);
    pictures.on("tileload", () => (came += 1));
    pictures.on("tileerror", (event) => failed.push(event.tile.src));
    pictures.on("load", end);
    pictures.on("remove", () => {
      turn += 1;
      clearTimeout(timer);
    });
    return begin;
  }

  ckan.ukharvestMap.wms = (view) => {
    const { map, settings, root, say } = view;
    const boxes = Array.from(root.querySelectorAll(".ukharvest-map-layers input"));
    const pictures = createPictures(settings);
    const begin = watch(pictures, view);
    const show = () => {
      // A service draws the first of its list at the bottom.
      const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
      pictures.remove();
      pictures.setParams({ layers: chosen.reverse().join(",") }, true);
      if (!chosen.length) {
        return say("");
      }
      begin();
      say(settings.texts.loading);
      return pictures.addTo(map);
    };
    boxes.forEach((box) => box.addEventListener("change", show));
    filter(root);
    show();
  };
})(this.ckan);
