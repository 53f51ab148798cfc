// What a page does if scripts may run. Without it everything can be read, and links work.
"use strict";
(() => {
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const entries = all("[data-code]");
  const findings = entries.filter((entry) => entry.matches("details"));
  const filter = document.getElementById("filter");
  const shown = document.getElementById("shown");
  const search = document.getElementById("search");
  const rule = document.getElementById("rule");
  const file = document.getElementById("file");
  const severities = all("#filter input[type=checkbox]");
  const texts = new Map();

  // Stacks that the page has no space for are in `data-words`.
  const textOf = (entry) => {
    if (!texts.has(entry)) {
      texts.set(entry, `${entry.textContent} ${entry.dataset.words || ""}`.toLowerCase());
    }
    return texts.get(entry);
  };

  // A search that is answered by what is inside a finding opens it and marks the frames; without the search it is closed
  // again.
  const opened = new Set();
  const show = (finding, words) => {
    const summary = finding.querySelector("summary");
    const isInside = words.some((word) => !textOf(summary).includes(word));
    if (isInside && !finding.open) {
      finding.open = true;
      opened.add(finding);
    } else if (!isInside && opened.delete(finding)) {
      finding.open = false;
    }
    for (const frame of finding.querySelectorAll(".frames li")) {
      frame.classList.toggle("hit", words.some((word) => textOf(frame).includes(word)));
    }
  };

  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = new Set(severities.filter((box) => box.checked).map((box) => box.value));
    let count = 0;
    for (const entry of entries) {
      const fits = wanted.has(entry.dataset.severity)
        && (!rule.value || entry.dataset.code === rule.value)
        && (!file.value || entry.dataset.file === file.value)
        && words.every((word) => textOf(entry).includes(word));
      entry.hidden = !fits;
      if (fits) count += 1;
      if (entry.matches("details")) show(entry, fits ? words : []);
    }
    const noun = entries.length === 1 ? "finding" : "findings";
    shown.textContent = `${count} of ${entries.length} ${noun} shown`;
    // On paper, what is left out is said.
    shown.parentElement.classList.toggle("partial", count < entries.length);
  };

  const clear = () => {
    search.value = "";
    rule.value = "";
    file.value = "";
    for (const box of severities) box.checked = true;
    apply();
  };

  // The beginning of a signature is enough where one finding has it.
  const named = (name) => {
    const whole = document.getElementById(name);
    if (whole || !/^2:[0-9a-f]{8,}$/.test(name)) return whole;
    const found = document.querySelectorAll(`[id^="${name}"]`);
    return found.length === 1 ? found[0] : null;
  };

  // What the address names; a percent sign of a person's begins no escape.
  const fragment = () => {
    const text = location.hash.slice(1);
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };

  const reveal = () => {
    for (const finding of findings) finding.classList.remove("linked");
    const target = named(fragment());
    const entry = target && target.closest("[data-code]");
    if (!entry) return;
    if (entry.hidden) clear();
    if (!entry.matches("details")) return;
    entry.open = true;
    entry.classList.add("linked");
    entry.querySelector("summary").focus({ preventScroll: true });
    entry.scrollIntoView({ block: "start" });
  };

  const step = (distance) => {
    const visible = findings.filter((finding) => !finding.hidden);
    if (visible.length === 0) return;
    const here = document.activeElement && document.activeElement.closest("details[data-code]");
    const place = here ? visible.indexOf(here) : -1;
    const next = place < 0 ? (distance > 0 ? 0 : visible.length - 1) : place + distance;
    const finding = visible[Math.min(Math.max(next, 0), visible.length - 1)];
    finding.querySelector("summary").focus();
    finding.scrollIntoView({ block: "nearest" });
  };

  const openAll = (isOpen) => {
    for (const finding of findings) if (!finding.hidden) finding.open = isOpen;
  };

  if (filter) {
    filter.hidden = false;
    document.getElementById("tools").hidden = false;
    filter.addEventListener("input", apply);
    filter.addEventListener("submit", (event) => event.preventDefault());
    document.getElementById("open-all").addEventListener("click", () => openAll(true));
    document.getElementById("close-all").addEventListener("click", () => openAll(false));
    apply();
  }
  window.addEventListener("hashchange", reveal);
  if (location.hash) {
    reveal();
    // The browser goes to the fragment too, in its own time, and takes the focus away.
    window.addEventListener("load", () => requestAnimationFrame(() => setTimeout(reveal)));
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !filter) return;
    const isTyping = event.target.matches("input[type=search], select");
    if (event.key === "Escape" && event.target === search) {
      clear();
      search.blur();
    } else if (isTyping) {
      return;
    } else if (event.key === "j") {
      step(1);
    } else if (event.key === "k") {
      step(-1);
    } else if (event.key === "/") {
      search.focus();
      event.preventDefault();
    }
  });

  // A rule or a file of the tables is a filter.
  for (const link of all("a[data-field]")) {
    link.addEventListener("click", () => {
      clear();
      document.getElementById(link.dataset.field).value = link.dataset.value;
      apply();
    });
  }

  // A call that is pointed at takes the whole width; the one that has it gives it back.
  for (const flame of all(".flame")) {
    flame.classList.add("zooms");
    flame.addEventListener("click", (event) => {
      const item = event.target.closest("li");
      if (!item) return;
      const wasWidest = item.classList.contains("zoomed")
        && !item.querySelector(":scope > ul > .zoomed");
      for (const other of flame.querySelectorAll("li")) other.classList.remove("zoomed", "aside");
      if (wasWidest) return;
      for (let at = item; at && at !== flame; at = at.parentElement) {
        if (!at.matches("li")) continue;
        at.classList.add("zoomed");
        for (const other of at.parentElement.children) {
          if (other !== at) other.classList.add("aside");
        }
      }
    });
  }

  // Another site gets the stacks, and only after a click: its own page asks for them. It is asked whether it is ready until
  // it answers, by the messages of its present and its earlier version.
  const profile = document.getElementById("profile");
  if (profile) {
    profile.hidden = false;
    const site = "https://profiler.firefox.com";
    document.getElementById("profiler").addEventListener("click", () => {
      const tab = window.open(`${site}/from-post-message/`);
      if (!tab) return;
      const ask = () => {
        if (tab.closed) return stop();
        for (const name of ["ready:request", "is-ready"]) tab.postMessage({ name }, site);
      };
      const timer = setInterval(ask, 250);
      const answer = (event) => {
        if (event.source !== tab || event.origin !== site) return;
        if (!event.data || !["ready:response", "is-ready"].includes(event.data.name)) return;
        stop();
        const stacks = document.getElementById("stacks").textContent;
        tab.postMessage({ name: "inject-profile", profile: stacks }, site);
      };
      const stop = () => {
        clearInterval(timer);
        window.removeEventListener("message", answer);
      };
      window.addEventListener("message", answer);
    });
  }

  let wasClosed = [];
  window.addEventListener("beforeprint", () => {
    wasClosed = findings.filter((finding) => !finding.open);
    for (const finding of wasClosed) finding.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const finding of wasClosed) finding.open = false;
  });
})();
