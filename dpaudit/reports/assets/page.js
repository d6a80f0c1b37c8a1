(function () {
  "use strict";
  var root = document.documentElement, button = document.getElementById("theme");
  function dark() {
    var chosen = root.getAttribute("data-theme");
    return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
  }
  function label() { button.textContent = dark() ? "Light theme" : "Dark theme"; }
  button.addEventListener("click", function () { root.setAttribute("data-theme", dark() ? "light" : "dark"); label(); });
  label();
  function unpack(text) {
    var bytes = Uint8Array.from(atob(text), function (letter) { return letter.charCodeAt(0); });
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }
  var loaded;
  function library() {
    loaded = loaded || unpack(chartLibrary).then(function (code) { (0, eval)(code); });
    return loaded;
  }
  function draw(holder) {
    if (holder.dataset.drawn) { return; }
    holder.dataset.drawn = "1";
    Promise.all([unpack(document.getElementById(holder.dataset.spec).textContent), library()]).then(function (texts) {
      return vegaEmbed(holder, JSON.parse(texts[0]), { actions: false, renderer: "svg", ast: false });
    }).then(function () {
      holder.dataset.done = "1";
    }).catch(function (error) { holder.textContent = "This chart could not be drawn: " + error; });
  }
  document.querySelectorAll(".chart").forEach(function (holder) {
    var fold = holder.closest("details.later");
    if (fold) { fold.addEventListener("toggle", function () { if (fold.open) { draw(holder); } }); } else { draw(holder); }
  });
  document.querySelectorAll("[data-open]").forEach(function (control) {
    control.addEventListener("click", function () {
      var open = control.dataset.open === "yes";
      document.querySelectorAll("details.claim").forEach(function (entry) { entry.open = open; });
    });
  });
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details:not(.num):not(.claim)").forEach(function (entry) { entry.open = true; });
  });
})();
