// What a page does that is served while its log grows: it asks whether there is a newer one, and loads that, with what
// was open, searched and seen as it was. The page says which it is in `data-state`. Without the server it stays as it
// is, and says so.
"use strict";
(() => {
  const mine = document.documentElement.dataset.state;
  const note = document.getElementById("live");
  const place = "kvo-audit page";
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const fields = () => all("#filter input, #filter select");
  const isBox = (field) => field.type === "checkbox";

  const keep = () => {
    const at = document.activeElement;
    const focused = at && at.closest("details[data-code]");
    sessionStorage.setItem(place, JSON.stringify({
      top: window.scrollY,
      fields: fields().map((field) => (isBox(field) ? field.checked : field.value)),
      open: all("details[data-code][open] > .body[id]").map((body) => body.id),
      focus: at && at.id ? at.id : focused ? focused.querySelector(".body").id : "",
    }));
  };

  const restore = () => {
    const text = sessionStorage.getItem(place);
    sessionStorage.removeItem(place);
    if (!text) return;
    const kept = JSON.parse(text);
    fields().forEach((field, index) => {
      const value = kept.fields[index];
      if (value === undefined) return;
      if (isBox(field)) field.checked = value; else field.value = value;
    });
    const filter = document.getElementById("filter");
    if (filter) filter.dispatchEvent(new Event("input"));
    for (const id of kept.open) {
      const body = document.getElementById(id);
      const finding = body && body.closest("details");
      if (finding) finding.open = true;
    }
    const goBack = () => {
      const target = kept.focus && document.getElementById(kept.focus);
      const finding = target && target.closest("details[data-code]");
      const focused = finding ? finding.querySelector("summary") : target;
      if (focused) focused.focus({ preventScroll: true });
      window.scrollTo(0, kept.top);
    };
    goBack();
    // Behind the fragment of the address, which the browser and the page go to in their own time.
    if (location.hash) window.addEventListener("load", () => {
      requestAnimationFrame(() => setTimeout(() => setTimeout(goBack)));
    });
  };

  const look = async () => {
    try {
      const answer = await fetch("/state", { cache: "no-store" });
      const newest = await answer.text();
      note.textContent = "This page follows its log.";
      if (answer.ok && newest !== mine) {
        keep();
        location.reload();
        return;
      }
    } catch {
      note.textContent = "Nobody follows the log any more: this page is the last of it.";
    }
    setTimeout(look, 500);
  };

  restore();
  look();
})();
