// Asks before something is changed. The answer is a promise: null when the dialog is closed.

import { element } from "./dom.js";
import { toast } from "./toast.js";

/** Closes what is asked, as if it was declined: for another page. */
export function closeDialogs() {
  for (const box of document.querySelectorAll("dialog[open]")) box.close("back");
}

/**
 * Asks with a title and words, text or an element. fields are {name, label, value, required: exact text asked for,
 * input: further attributes of the field, lines: of a field with several, choices: [value, text] to select one of,
 * when: values => whether the field is asked for}; returns the values of the fields by name. attempt(values) does
 * what was asked; if it fails, the dialog shows why and stays open with what was typed. While it lasts the dialog cannot
 * be closed, and if another page closes it, the answer is whether the attempt succeeded.
 */
export function ask({ title, words, action, danger, wide, fields = [], attempt }) {
  return new Promise((resolve) => {
    const inputs = fields.map(inputOf);
    const values = () => Object.fromEntries(inputs.map(({ field, value }) => [field.name, value()]));
    const go = element("button", { type: "submit", class: danger ? "danger" : null }, action);
    const problem = element("p", { class: "problem told", role: "alert", hidden: true });
    const leave = element("button", { type: "button", onclick: () => box.close("back") }, action.startsWith("Cancel") ? "Close" : "Cancel");
    const form = element("form", { method: "dialog" },
      element("h2", {}, title), words instanceof Node ? words : element("p", {}, words),
      inputs.map(({ whole }) => whole), problem,
      element("div", { class: "actions" }, leave, go));
    const box = element("dialog", { "aria-label": title, class: wide ? "wide" : null }, form);
    let busy = false;
    let done = false;
    const finish = () => resolve(done ? values() : null);
    const check = () => {
      const now = values();
      for (const { field, whole } of inputs) whole.hidden = Boolean(field.when && !field.when(now));
      leave.disabled = busy;
      go.disabled = busy || inputs.some(({ field, whole, value }) => !whole.hidden && field.required && value() !== field.required);
    };
    form.addEventListener("input", check);
    check();
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (busy) return;
      busy = true;
      check();
      try {
        if (attempt) await attempt(values());
        done = true;
        box.close("go");
      } catch (failure) {
        problem.textContent = failure.message;
        problem.hidden = false;
        if (!box.isConnected) toast(failure.message);
      }
      busy = false;
      check();
      if (!box.isConnected) finish();
    });
    // A second Escape closes a dialog whatever its cancel event says, so the key itself is ignored.
    for (const kind of ["cancel", "keydown"]) {
      box.addEventListener(kind, (event) => { if (busy && (kind === "cancel" || event.key === "Escape")) event.preventDefault(); });
    }
    box.addEventListener("close", () => {
      box.remove();
      if (!busy) finish();
    });
    document.body.append(box);
    box.showModal();
  });
}

/** A field with its label: {field, whole, value()}. */
function inputOf(field) {
  if (field.choices) {
    const boxes = field.choices.map(([value], at) => element("input", { type: "radio", name: field.name, value, checked: at === 0 }));
    const whole = element("fieldset", {}, element("legend", {}, field.label),
      boxes.map((box, at) => element("label", { class: "choice" }, box, element("span", {}, field.choices[at][1]))));
    return { field, whole, value: () => boxes.find((box) => box.checked)?.value };
  }
  const input = element(field.lines ? "textarea" : "input", { name: field.name, value: field.value ?? "", rows: field.lines, autocomplete: "off", ...field.input });
  if (field.lines) input.value = field.value ?? "";
  return { field, whole: element("label", {}, field.label, input), value: () => input.value };
}
