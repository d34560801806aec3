// Asks before something is changed. The answer is a promise: null when the dialog is closed.

import { element } from "./dom.js";

/**
 * Asks with a title and a message. fields are {name, label, value, required: exact text asked for,
 * input: further attributes of the field}; returns the values of the fields by name.
 */
export function ask({ title, words, action, danger, fields = [] }) {
  return new Promise((resolve) => {
    const inputs = fields.map((field) => [field, element("input", { name: field.name, value: field.value ?? "", autocomplete: "off", ...field.input })]);
    const go = element("button", { type: "submit", class: danger ? "danger" : null }, action);
    const form = element("form", { method: "dialog" },
      element("h2", {}, title), element("p", {}, words),
      inputs.map(([field, input]) => element("label", {}, field.label, input)),
      element("div", { class: "actions" },
        element("button", { type: "button", onclick: () => box.close("back") }, "Close"), go));
    const box = element("dialog", { "aria-label": title }, form);
    const check = () => {
      go.disabled = inputs.some(([field, input]) => field.required && input.value !== field.required);
    };
    inputs.forEach(([, input]) => input.addEventListener("input", check));
    check();
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      box.close("go");
    });
    box.addEventListener("close", () => {
      box.remove();
      resolve(box.returnValue === "go" ? Object.fromEntries(inputs.map(([field, input]) => [field.name, input.value])) : null);
    });
    document.body.append(box);
    box.showModal();
  });
}
