/* A GeoJSON file: read by the browser, drawn, its first features as a table. */
(function (ckan) {
  "use strict";

  const { L, show } = ckan.ukharvestMap;
  const PATIENCE = 30000; // milliseconds between two pieces of an answer
  const LONGEST = 300; // characters of a property
  const ROWS = 100;
  const COLUMNS = 20;

  /* A failure that a reader is told in a sentence of ours. */
  class Told extends Error {
    constructor(text, values = {}) {
      super(text);
      this.values = values;
    }
  }

  /* The text of a file; nothing more is read than as many bytes as the settings say. */
  async function read({ settings, server }) {
    const { texts, url, most } = settings;
    const stop = new AbortController();
    let timer = setTimeout(() => stop.abort(), PATIENCE);
    let answer;
    try {
      answer = await fetch(url, { signal: stop.signal });
      if (!answer.ok) {
        throw new Told(texts.refused, { words: `HTTP ${answer.status}` });
      }
      if (Number(answer.headers.get("Content-Length")) > most) {
        throw new Told(texts.large);
      }
      const pieces = [];
      let size = 0;
      const reader = answer.body.getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        clearTimeout(timer);
        timer = setTimeout(() => stop.abort(), PATIENCE);
        pieces.push(piece.value);
        size += piece.value.length;
        if (size > most) {
          throw new Told(texts.large);
        }
      }
      return await new Blob(pieces).text();
    } catch (error) {
      if (error instanceof Told) {
        throw error;
      }
      const silence = answer
        ? { text: texts.refused, words: "" } // it broke off
        : ((await server.silence(url)) ?? { text: texts.forbidden, words: "(CORS)" });
      throw new Told(silence.text, { words: silence.words });
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }

  /* The features of a file's text as a list; null geometries are features too (RFC 7946, 3.2). */
  function parse(text, texts) {
    let data;
    try {
      data = JSON.parse(text.replace(/^\uFEFF/, ""));
    } catch {
      throw new Told(texts.not_geojson);
    }
    const crs = data?.crs?.properties?.name;
    if (typeof crs === "string" && !/CRS:?:?84|4326/.test(crs)) {
      throw new Told(texts.not_degrees, { words: crs.slice(0, LONGEST) });
    }
    if (data?.type === "FeatureCollection" && Array.isArray(data.features)) {
      return data.features.filter((each) => each?.type === "Feature");
    }
    if (data?.type === "Feature") {
      return [data];
    }
    if (typeof data?.type === "string" && (data.coordinates || data.geometries)) {
      return [{ type: "Feature", properties: {}, geometry: data }];
    }
    throw new Told(texts.not_geojson);
  }

  function element(name, text = "", className = "") {
    const made = document.createElement(name);
    made.textContent = text;
    made.className = className;
    return made;
  }

  function shown(value) {
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    return value === null || value === undefined ? "" : text.slice(0, LONGEST);
  }

  function properties(feature) {
    return Object.entries(feature.properties ?? {});
  }

  function popup(feature) {
    const list = element("dl");
    properties(feature).forEach(([name, value]) => {
      list.append(element("dt", name), element("dd", shown(value)));
    });
    return list;
  }

  /* The properties of the first features, also for whoever cannot click on a map. */
  function table(features, texts) {
    const first = features.slice(0, ROWS);
    const names = [...new Set(first.flatMap((each) => properties(each).map(([name]) => name)))];
    const columns = names.slice(0, COLUMNS);
    const made = element("table", "", "table table-striped table-condensed");
    const head = made.createTHead().insertRow();
    columns.forEach((name) => {
      const cell = element("th", name);
      cell.scope = "col";
      head.append(cell);
    });
    const body = made.createTBody();
    first.forEach((feature) => {
      const row = body.insertRow();
      columns.forEach((name) => row.append(element("td", shown(feature.properties?.[name]))));
    });
    const frame = element("div", "", "ukharvest-map-table");
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", texts.table);
    frame.append(made);
    const details = element("details");
    details.append(element("summary", texts.table), frame);
    return columns.length ? [details] : [];
  }

  function draw(features, { map, settings }) {
    const { texts } = settings;
    // Beside the buttons, also on a phone.
    const maxWidth = Math.min(300, map.getSize().x - 110);
    const options = { autoPanPaddingTopLeft: [52, 5], maxWidth };
    let drawn;
    try {
      drawn = L.geoJSON(features, {
        pointToLayer: (_, place) => L.circleMarker(place, { radius: 6 }),
        style: { color: "#a3360b", weight: 2, fillOpacity: 0.2 },
        onEachFeature: (feature, layer) =>
          properties(feature).length && layer.bindPopup(() => popup(feature), options),
      });
    } catch {
      throw new Told(texts.not_geojson);
    }
    const bounds = drawn.getBounds();
    if (!bounds.isValid()) {
      throw new Told(texts.empty);
    }
    const [east, north] = [bounds.getEast(), bounds.getNorth()];
    if (Math.max(-bounds.getSouth(), north) > 90 || Math.max(-bounds.getWest(), east) > 540) {
      throw new Told(texts.not_degrees);
    }
    drawn.addTo(map);
    show(map, bounds, settings);
  }

  ckan.ukharvestMap.geojson = async (view) => {
    const { settings, root, say } = view;
    const { texts, url } = settings;
    say(texts.loading);
    try {
      const features = parse(await read(view), texts);
      draw(features, view);
      root.querySelector(".ukharvest-map-body").append(...table(features, texts));
      say(texts.shown, { count: features.length });
    } catch (error) {
      if (!(error instanceof Told)) {
        throw error;
      }
      say(error.message, error.values, url);
    }
  };
})(this.ckan);
