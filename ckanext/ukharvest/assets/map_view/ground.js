/* The ground of a map: where degrees lie on the screen, and what is drawn below the data. */
(function (ckan) {
  "use strict";

  // No global of ours or of Leaflet's stays behind: other plugins bring a Leaflet of their own.
  const L = window.L.noConflict();
  const WORLD = L.latLngBounds([-90, -180], [90, 180]);
  // What the finer of the two outlines holds.
  const UK = L.latLngBounds([47, -16], [63, 8]);
  const SVG = "http://www.w3.org/2000/svg";
  const COAST = 3; // degrees high: less shows no recognisable coast
  const NAMES = 8;

  /* Plate carrée with degrees of longitude as wide as they are in the middle of `bounds`,
   * at a scale at which `bounds` just fits into `size` pixels at a whole level of zoom. */
  function flat(bounds, size) {
    const middle = Math.min(Math.abs(bounds.getCenter().lat), 75);
    const squeeze = Math.cos((middle * Math.PI) / 180);
    const wide = (bounds.getEast() - bounds.getWest()) * squeeze;
    const high = bounds.getNorth() - bounds.getSouth();
    const perDegree = 0.999 * Math.min(size.x / wide, size.y / high);
    const doublings = Math.log2(Math.max(1, (perDegree * 180) / 256));
    const enlarged = 2 ** (doublings % 1);
    const across = (enlarged * squeeze) / 180;
    return L.extend({}, L.CRS.EPSG4326, {
      transformation: L.transformation(across, across * 180, -enlarged / 180, enlarged / 2),
    });
  }

  /* Draw our own outline of the land: only the part that is seen, anew after each move, since a
   * picture of the whole world would be a million pixels wide at the level of a street. */
  function addOutline(map, urls) {
    const svg = document.createElementNS(SVG, "svg");
    const land = document.createElementNS(SVG, "use");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("class", "ukharvest-map-land");
    svg.appendChild(land);
    map.createPane("ground").style.zIndex = 100;
    const overlay = L.svgOverlay(svg, WORLD, { pane: "ground" }).addTo(map);
    const draw = () => {
      const seen = map.getBounds().pad(0.25);
      const [west, north] = [seen.getWest(), seen.getNorth()];
      const box = [west, -north, seen.getEast() - west, north - seen.getSouth()];
      land.setAttribute("href", `${UK.contains(seen) ? urls.uk : urls.world}#land`);
      // The files count in hundredths of a degree.
      svg.setAttribute("viewBox", box.map((degrees) => degrees * 100).join(" "));
      overlay.setBounds(seen);
    };
    map.on("moveend", draw);
    draw();
  }

  /* Name the first places that the map shows and that leave each other room, anew after each move. */
  function addNames(map, places) {
    const names = L.layerGroup().addTo(map);
    const draw = () => {
      const taken = [];
      const size = L.bounds([0, 0], map.getSize().subtract([90, 0]));
      names.clearLayers();
      places.forEach(([name, ...place]) => {
        const point = map.latLngToContainerPoint(place);
        const isFree = taken.every((o) => Math.abs(o.x - point.x) > 90 || Math.abs(o.y - point.y) > 24);
        if (taken.length < NAMES && isFree && size.contains(point)) {
          taken.push(point);
          L.circleMarker(place, { radius: 2, color: "#33404a", interactive: false })
            .bindTooltip(name, { permanent: true, direction: "right", className: "ukharvest-map-name" })
            .addTo(names);
        }
      });
    };
    map.on("moveend", draw);
    draw();
  }

  /* Show `bounds`, and on our outline also the dataset's own boxes and enough coast to know it by. */
  function show(map, bounds, settings) {
    if (!settings.tiles) {
      settings.boxes.forEach((box) => {
        L.rectangle(box, { color: "#a3360b", weight: 1, fill: false, interactive: false }).addTo(map);
        bounds.extend(box);
      });
      const { lat, lng } = bounds.getCenter();
      bounds.extend([lat - COAST / 2, lng]).extend([lat + COAST / 2, lng]);
      L.control.scale().addTo(map);
    }
    map.fitBounds(bounds, { animate: false, maxZoom: 14, padding: [10, 10] });
    if (!settings.tiles) addNames(map, settings.places); // once it lies: names that go fade first
  }

  /* Make a map that shows `settings.bounds`, [[south, west], [north, east]]. */
  function create(element, settings) {
    const bounds = L.latLngBounds(settings.bounds).pad(0.05);
    const size = L.point(element.clientWidth, element.clientHeight);
    const map = L.map(element, {
      crs: settings.tiles ? L.CRS.EPSG3857 : flat(bounds, size),
      maxBounds: WORLD,
      maxZoom: 18,
      preferCanvas: true,
      // Whoever scrolls down the page is not caught by the map.
      scrollWheelZoom: false,
      attributionControl: false,
    });
    map.fitBounds(bounds);
    if (settings.tiles) {
      L.control.attribution({ prefix: false }).addTo(map);
      L.tileLayer(settings.tiles.url, settings.tiles.options).addTo(map);
    } else {
      addOutline(map, settings.outlines);
    }
    return map;
  }

  ckan.ukharvestMap = { L, WORLD, create, show };
})(this.ckan);
