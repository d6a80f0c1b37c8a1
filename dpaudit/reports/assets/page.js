(function () {
  "use strict";
  var root = document.documentElement, all = function (what, where) { return Array.from((where || document).querySelectorAll(what)); };
  function make(name, text, parent) { var e = document.createElement(name); if (text) { e.textContent = text; } parent.appendChild(e); return e; }

  // the theme
  var button = document.getElementById("theme");
  function dark() {
    var chosen = root.getAttribute("data-theme");
    return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
  }
  function label() { button.textContent = dark() ? "Light theme" : "Dark theme"; }
  button.addEventListener("click", function () { root.setAttribute("data-theme", dark() ? "light" : "dark"); label(); });
  button.hidden = false;
  label();

  // long parts are folded; on paper all are open
  var folds = all("details.fold"), before = [];
  folds.forEach(function (entry) { entry.open = "#" + entry.id === location.hash; });
  if (window.matchMedia("(max-width: 34rem)").matches) { all("details.small").forEach(function (entry) { entry.open = false; }); }
  folds = folds.concat(all("details.small"));
  window.addEventListener("beforeprint", function () {
    before = folds.map(function (entry) { return entry.open; });
    folds.forEach(function (entry) { entry.open = true; });
  });
  window.addEventListener("afterprint", function () { folds.forEach(function (entry, i) { entry.open = before[i]; }); });
  window.addEventListener("hashchange", function () {
    var goal = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (goal && goal.matches("details")) { goal.open = true; goal.scrollIntoView(); }
  });
  all("[data-open]").forEach(function (control) {
    control.hidden = false;
    control.addEventListener("click", function () {
      all("details.claim").forEach(function (entry) { entry.open = control.dataset.open === "yes"; });
    });
  });

  // no line ends between a number and its %
  all("p, li, dd, figcaption, summary").forEach(function (e) {
    if (e.closest("pre, code")) { return; }
    e.childNodes.forEach(function (node) { if (node.nodeType === 3) { node.data = node.data.replace(/(\d) (?=%)/g, "$1\u00a0"); } });
  });

  // tables that are shown as cards stay tables for who hears them
  [["table", "table"], ["thead, tbody", "rowgroup"], ["tr", "row"], ["td", "cell"], ["th[scope=col]", "columnheader"], ["th[scope=row]", "rowheader"]]
    .forEach(function (pair) { all(pair[0], document.body).forEach(function (e) { e.setAttribute("role", pair[1]); }); });

  // pointing at a picture shows the nearest value
  var tip = make("div", "", document.body);
  tip.id = "tip"; tip.hidden = true;
  function show(words, event) {
    tip.hidden = !words;
    if (!words) { return; }
    tip.textContent = words;
    var left = Math.min(event.pageX + 14, window.scrollX + root.clientWidth - tip.offsetWidth - 8);
    tip.style.left = Math.max(4, left) + "px"; tip.style.top = event.pageY + 16 + "px";
  }
  function inCells(group, event) {
    var box = group.getBoundingClientRect(), lines = group.dataset.v.split(";"), names = group.dataset.n.split("␞");
    var row = Math.floor((event.clientY - box.top) / box.height * lines.length);
    var values = (lines[row] || "").split(" "), column = Math.floor((event.clientX - box.left) / box.width * values.length);
    if (row < 0 || column < 0 || !values[column]) { return ""; }
    var rows = names[3].split("␟"), columns = names[1].split("␟");
    return names[2] + " " + rows[lines.length - 1 - row] + ", " + names[0] + " " + columns[column] + ": about " + values[column];
  }
  all("svg.pic").forEach(function (svg) {
    var points = all("title", svg).map(function (title) {
      var mark = title.parentNode;
      var line = mark.closest(".series");
      mark.dataset.tip = (line ? line.dataset.s + ", " : "") + title.textContent;
      title.remove();
      return mark;
    }), cells = svg.querySelector(".cells"), parts = [];
    all("[data-t]", svg).forEach(function (mark) {
      var line = mark.closest(".series"), before = line ? line.dataset.s + ", " : mark.dataset.w || "", words = mark.dataset.t.split("␟");
      (mark.getAttribute("d").match(/[ML][-\d.]+ [-\d.]+/g) || []).forEach(function (place, i) {
        var at = place.slice(1).split(" ");
        parts.push({ x: +at[0], y: "x" in mark.dataset ? null : +at[1], words: before + words[i], mark: mark });
      });
    });
    svg.addEventListener("pointermove", function (event) {
      if (cells) { show(inCells(cells, event), event); return; }
      var best = 26, found = null, words = "";
      function hidden(mark) { return mark.closest(".picked") && !mark.closest(".on"); }
      parts.forEach(function (part) {
        var scale = part.mark.getScreenCTM(), dy = part.y === null ? 0 : scale.d * part.y + scale.f - event.clientY;
        var away = Math.hypot(scale.a * part.x + scale.e - event.clientX, dy);
        if (away < best && !hidden(part.mark)) { best = away; words = part.words; }
      });
      points.forEach(function (mark) {
        if (hidden(mark)) { return; }
        var box = mark.getBoundingClientRect();
        var dx = Math.max(box.left - event.clientX, 0, event.clientX - box.right), dy = Math.max(box.top - event.clientY, 0, event.clientY - box.bottom);
        var away = Math.hypot(dx, dy);
        if (away < best) { best = away; found = mark; }
      });
      show(found ? found.dataset.tip : words, event);
    });
    svg.addEventListener("pointerleave", function () { show("", null); });
  });

  // a legend that singles out a line
  all("figure").forEach(function (figure) {
    var names = Array.from(new Set(all(".series", figure).filter(function (line) { return line.querySelector("text"); }).map(function (line) { return line.dataset.s; })));
    if (names.length < 2) { return; }
    var bar = document.createElement("div");
    bar.className = "legend"; bar.setAttribute("role", "toolbar"); bar.setAttribute("aria-label", "Single out a line");
    figure.insertBefore(bar, figure.querySelector("figcaption"));
    names.forEach(function (name) {
      var pick = make("button", name, bar);
      pick.type = "button"; pick.setAttribute("aria-pressed", "false");
      pick.addEventListener("click", function () {
        var on = pick.getAttribute("aria-pressed") !== "true";
        all("button", bar).forEach(function (other) { other.setAttribute("aria-pressed", String(on && other === pick)); });
        all(".pics", figure).forEach(function (part) { part.classList.toggle("picked", on); });
        all(".series", figure).forEach(function (line) { line.classList.toggle("on", line.dataset.s === name); });
      });
    });
    oneStop(bar);
  });

  // buttons that are one stop for the keyboard: arrows go from one to the next
  function oneStop(bar) {
    var buttons = all("button", bar);
    function current(which) { buttons.forEach(function (other) { other.tabIndex = other === which ? 0 : -1; }); }
    current(buttons[0]);
    bar.addEventListener("focusin", function (event) { current(event.target); });
    bar.addEventListener("keydown", function (event) {
      var at = buttons.indexOf(event.target), last = buttons.length - 1;
      var goal = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
      if (goal === undefined) { return; }
      event.preventDefault();
      buttons[goal < 0 ? last : goal > last ? 0 : goal].focus();
    });
  }

  // what a cell is sorted by: verdicts by how bad they are, numbers by their value, then words; what is empty is last
  var SEVERE = ["NOT PRIVATE", "UNDECIDED", "HOLDS ON WHAT WAS AUDITED", "HOLDS FOR ALL n", "NO CLAIM"];
  var NUMBER = /^(?:at most|at least|about|between|up to|in|[≤≥<>=≈|…\s[])*(-?)(∞|\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?:\/(\d+))?(\s*%)?/;
  function weighed(text) {
    var found = NUMBER.exec(text.replace(/−/g, "-").replace(/^\((?=[^()]*\)-DP$)/, ""));
    if (!text) { return { rank: 2, value: 0, text: text }; }
    if (SEVERE.indexOf(text) >= 0) { return { rank: 0, value: SEVERE.indexOf(text), text: "" }; }
    if (!found || text.indexOf(" | ") >= 0) { return { rank: 1, value: 0, text: text }; }
    var size = (found[2] === "∞" ? Infinity : +found[2]) / (found[3] || 1) / (found[4] ? 100 : 1);
    return { rank: 0, value: found[1] ? -size : size, text: "" };
  }
  function compared(a, b, turn) {
    if (a.rank !== b.rank) { return a.rank - b.rank; }
    return turn * (a.value < b.value ? -1 : a.value > b.value ? 1 : a.text.localeCompare(b.text, "en", { numeric: true }));
  }

  // a table that is searched and sorted; on paper it has all its rows
  all(".findable table").forEach(function (table) {
    var body = table.tBodies[0], rows = Array.from(body.rows), heads = all("thead th", table);
    var bar = document.createElement("div"), found = make("label", "Show rows with ", bar), sorted = make("label", "Sort by ", bar);
    var turned = make("label", "", bar), down = make("input", "", turned), count = make("span", "", bar);
    var input = make("input", "", found), select = make("select", "", sorted), scroll = table.closest(".scroll"), said = table.caption.textContent;
    turned.append(" in reverse"); down.type = "checkbox"; down.disabled = true;
    bar.className = "finder"; input.type = "search"; count.setAttribute("aria-live", "polite");
    scroll.before(bar);
    ["as it is"].concat(heads.map(function (head) { return head.textContent; })).forEach(function (name) { make("option", name, select); });
    function counted() {
      var shown = rows.filter(function (row) { return !row.classList.contains("unfound"); }).length;
      count.textContent = shown + " of " + rows.length + (rows.length === 1 ? " row" : " rows");
    }
    input.addEventListener("input", function () {
      rows.forEach(function (row) { row.classList.toggle("unfound", row.textContent.toLowerCase().indexOf(input.value.toLowerCase()) < 0); });
      counted();
    });
    function sort() {
      var at = select.selectedIndex - 1, order = rows.slice(), words = at < 0 ? said : said.replace("; failures first", "");
      function value(row) { var c = row.cells[at], n = c.querySelector(".num"); return weighed((n ? n.firstChild : c).textContent.trim()); }
      if (at >= 0) { order.sort(function (a, b) { return compared(value(a), value(b), down.checked ? -1 : 1); }); }
      order.forEach(function (row) { body.appendChild(row); });
      down.disabled = at < 0; table.caption.textContent = words; scroll.setAttribute("aria-label", words);
    }
    [select, down].forEach(function (control) { control.addEventListener("change", sort); });
    counted();
  });
})();
