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
  function draw(holder) {
    if (holder.dataset.drawn) { return; }
    holder.dataset.drawn = "1";
    var spec = JSON.parse(document.getElementById(holder.dataset.spec).textContent);
    vegaEmbed(holder, spec, { actions: false, renderer: "svg", ast: false }).then(function () {
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
