"use strict";
const form = document.getElementById("filters");
if (form) {
  const findings = [...document.querySelectorAll(".finding")];
  const words = new Map(findings.map((one) => [one, one.textContent.toLowerCase()]));
  const toggle = document.getElementById("toggle");
  const show = () => {
    const data = new FormData(form);
    const severities = data.getAll("severity");
    const rule = data.get("rule");
    const text = data.get("text").trim().toLowerCase();
    let count = 0;
    for (const one of findings) {
      const seen = severities.includes(one.dataset.severity)
        && (!rule || one.dataset.rule === rule)
        && (!text || words.get(one).includes(text));
      one.hidden = !seen;
      count += seen ? 1 : 0;
    }
    document.getElementById("shown").value = `${count} of ${findings.length}`;
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  toggle.addEventListener("click", () => {
    const open = findings.some((one) => !one.hidden && !one.open);
    for (const one of findings) {
      if (!one.hidden) one.open = open;
    }
    toggle.textContent = open ? "close all" : "open all";
  });
  form.hidden = false;
  show();
}
